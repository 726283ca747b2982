import { Body, Controller, Get, Post, Query } from '@nestjs/common';
import { ApiCreatedResponse, ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { Access } from '../auth/access.decorator';
import { Caller, CurrentCaller, CurrentClient } from '../auth/caller';
import { RateLimit } from '../auth/rate-limit/rate-limits';
import { Client } from '../infrastructure/client-address/client';
import { ApiErrors } from '../common/http/api-errors.decorator';
import { AliasAvailabilityResponse } from './alias-availability';
import { CheckAliasDto, CreateLinkDto } from './link.dto';
import { CreatedLinkResponse } from './link.response';
import { ShortenService } from './shorten.service';

@ApiTags('Links')
@Controller('api/v1/shorten')
export class ShortenController {
  constructor(private readonly service: ShortenService) {}

  @Post()
  @Access.optional('shorten:create')
  @RateLimit('links.create')
  @ApiCreatedResponse({ type: CreatedLinkResponse })
  @ApiErrors(400, 401, 403, 409, 413, 422, 429)
  shorten(
    @Body() body: CreateLinkDto,
    @CurrentCaller() caller: Caller,
    @CurrentClient() client: Client,
  ): Promise<CreatedLinkResponse> {
    return this.service.shorten(body, caller, client);
  }

  @Get('check-alias')
  @Access.optional('shorten:create')
  @RateLimit('links.check-alias')
  @ApiOkResponse({ type: AliasAvailabilityResponse })
  @ApiErrors(401, 403, 422, 429)
  checkAlias(@Query() query: CheckAliasDto): Promise<AliasAvailabilityResponse> {
    return this.service.checkAlias(query.alias);
  }
}
