import { Body, Controller, Get, Param, Patch, Post, Query } from '@nestjs/common';
import { ApiCreatedResponse, ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { Access } from '../auth/access.decorator';
import { Caller, CurrentCaller, CurrentClient, CurrentPrincipal } from '../auth/caller';
import type { Principal } from '../auth/principal';
import { RateLimit } from '../auth/rate-limit/rate-limits';
import { ApiErrors } from '../common/http/api-errors.decorator';
import { ParseIdPipe } from '../common/http/parse-id.pipe';
import { HttpOptions } from '../config/options';
import { Client } from '../infrastructure/client-address/client';
import {
  CheckAliasDto,
  CreateLinkDto,
  toCreateLink,
  toLinkUpdate,
  UpdateLinkDto,
  UpdateStatusDto,
} from './link.dto';
import {
  AliasAvailabilityResponse,
  CreatedLinkResponse,
  toCreatedLink,
  toUpdatedLink,
  UpdatedLinkResponse,
} from './link.response';
import { LinksService } from './links.service';

/** docs/contract.md#5. */
@ApiTags('Links')
@Controller('api/v1/shorten')
@Access.optional('shorten:create')
export class ShortenController {
  constructor(
    private readonly links: LinksService,
    private readonly http: HttpOptions,
  ) {}

  @Post()
  @RateLimit('links.create')
  @ApiCreatedResponse({ type: CreatedLinkResponse })
  @ApiErrors(400, 401, 403, 409, 413, 422, 429)
  async shorten(
    @Body() body: CreateLinkDto,
    @CurrentCaller() caller: Caller,
    @CurrentClient() client: Client,
  ): Promise<CreatedLinkResponse> {
    const link = await this.links.create(toCreateLink(body, caller.userId), client);
    return toCreatedLink(link, this.http.baseUrl);
  }

  @Get('check-alias')
  @RateLimit('links.check-alias')
  @ApiOkResponse({ type: AliasAvailabilityResponse })
  @ApiErrors(401, 403, 422, 429)
  checkAlias(@Query() query: CheckAliasDto): Promise<AliasAvailabilityResponse> {
    return this.links.checkAlias(query.alias);
  }
}

/** What owners change about their links (docs/contract.md#6.3, docs/contract.md#6.4). */
@ApiTags('Links')
@Controller('api/v1/urls/:url_id')
@Access('urls:manage')
export class LinksController {
  constructor(private readonly links: LinksService) {}

  @Patch()
  @RateLimit('links.update')
  @ApiOkResponse({ type: UpdatedLinkResponse })
  @ApiErrors(400, 401, 403, 404, 409, 413, 422, 429)
  async update(
    @Param('url_id', ParseIdPipe) urlId: string,
    @Body() body: UpdateLinkDto,
    @CurrentPrincipal() caller: Principal,
    @CurrentClient() client: Client,
  ): Promise<UpdatedLinkResponse> {
    const update = toLinkUpdate(body);
    const link = await this.links.update(urlId, update, caller, client);
    return toUpdatedLink(link, update.status !== undefined);
  }

  @Patch('status')
  @RateLimit('links.status')
  @ApiOkResponse({ type: UpdatedLinkResponse })
  @ApiErrors(400, 401, 403, 404, 413, 422, 429)
  async setStatus(
    @Param('url_id', ParseIdPipe) urlId: string,
    @Body() body: UpdateStatusDto,
    @CurrentPrincipal() caller: Principal,
  ): Promise<UpdatedLinkResponse> {
    return toUpdatedLink(await this.links.setStatus(urlId, body.status, caller), true);
  }
}
