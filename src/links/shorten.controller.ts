import { Body, Controller, Get, Post, Query } from '@nestjs/common';
import { ApiCreatedResponse, ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { Access } from '../access/access.decorator';
import { Caller, CurrentCaller, CurrentClient } from '../access/caller';
import { RateLimit } from '../access/rate-limit.decorator';
import { Client } from '../platform/address/client';
import { ApiFailures } from '../http/api-failures';
import { AliasAvailability } from './alias-availability';
import { CheckAliasDto, CreateLinkDto } from './create-link.dto';
import { CreatedLink } from './link.presenter';
import { ShortenService } from './shorten.service';

@ApiTags('Links')
@Controller('api/v1/shorten')
export class ShortenController {
  constructor(private readonly service: ShortenService) {}

  @Post()
  @Access.optional('shorten:create')
  @RateLimit('links.create')
  @ApiCreatedResponse({ type: CreatedLink })
  @ApiFailures(400, 401, 403, 409, 413, 422, 429)
  shorten(
    @Body() body: CreateLinkDto,
    @CurrentCaller() caller: Caller,
    @CurrentClient() client: Client,
  ): Promise<CreatedLink> {
    return this.service.shorten(body, caller, client);
  }

  @Get('check-alias')
  @Access.optional('shorten:create')
  @RateLimit('links.check-alias')
  @ApiOkResponse({ type: AliasAvailability })
  @ApiFailures(401, 403, 422, 429)
  checkAlias(@Query() query: CheckAliasDto): Promise<AliasAvailability> {
    return this.service.checkAlias(query.alias);
  }
}
