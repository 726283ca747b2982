import { Controller, Get, Param, Query } from '@nestjs/common';
import { ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { Access } from '../../access/access.decorator';
import { CurrentPrincipal } from '../../access/caller';
import type { Principal } from '../../access/principal';
import { RateLimit } from '../../access/rate-limit.decorator';
import { ApiFailures } from '../../http/api-failures';
import { LinkItem, LinkPage } from './link-item';
import { ListLinksDto } from './list-links.dto';
import { ListingService } from './listing.service';

@ApiTags('Links')
@Controller('api/v1/urls')
@Access('urls:read')
export class ListingController {
  constructor(private readonly service: ListingService) {}

  @Get()
  @RateLimit('links.list')
  @ApiOkResponse({ type: LinkPage })
  @ApiFailures(400, 401, 403, 422, 429)
  list(@Query() query: ListLinksDto, @CurrentPrincipal() caller: Principal): Promise<LinkPage> {
    return this.service.list(query, caller);
  }

  @Get(':url_id')
  @RateLimit('links.read')
  @ApiOkResponse({ type: LinkItem })
  @ApiFailures(400, 401, 403, 404, 429)
  show(@Param('url_id') urlId: string, @CurrentPrincipal() caller: Principal): Promise<LinkItem> {
    return this.service.show(urlId, caller);
  }
}
