import { Controller, Get, Param, Query } from '@nestjs/common';
import { ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { Access } from '../../auth/access.decorator';
import { CurrentPrincipal } from '../../auth/caller';
import type { Principal } from '../../auth/principal';
import { RateLimit } from '../../auth/rate-limit/rate-limits';
import { ApiErrors } from '../../common/http/api-errors.decorator';
import { Operation } from '../../common/openapi/operation.decorator';
import { IdParam } from '../../common/openapi/properties';
import { ParseIdPipe } from '../../common/http/parse-id.pipe';
import { LinkItemResponse, LinkPageResponse } from '../link.response';
import { ListLinksDto } from './list-links.dto';
import { ListingService } from './listing.service';

@ApiTags('Links')
@Controller('api/v1/urls')
@Access('urls:read')
export class ListingController {
  constructor(private readonly service: ListingService) {}

  @Get()
  @RateLimit('links.list')
  @Operation({
    id: 'listLinks',
    summary: 'List the links of the account',
    description: 'One page of the links, sorted, and filtered by all members of `filter` together.',
  })
  @ApiOkResponse({
    type: LinkPageResponse,
    description: 'A page; one past the end has no items',
  })
  @ApiErrors(400, 422)
  list(
    @Query() query: ListLinksDto,
    @CurrentPrincipal() caller: Principal,
  ): Promise<LinkPageResponse> {
    return this.service.list(query, caller);
  }

  @Get(':url_id')
  @RateLimit('links.read')
  @Operation({
    id: 'getLink',
    summary: 'Read a link',
    description: 'One link of the account, as lists have it.',
  })
  @IdParam('url_id', 'Id of the link')
  @ApiOkResponse({ type: LinkItemResponse, description: 'The link' })
  @ApiErrors(400, 403, 404)
  show(
    @Param('url_id', ParseIdPipe) urlId: string,
    @CurrentPrincipal() caller: Principal,
  ): Promise<LinkItemResponse> {
    return this.service.show(urlId, caller);
  }
}
