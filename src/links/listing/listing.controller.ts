import { Controller, Get, Param, Query } from '@nestjs/common';
import { ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { Access } from '../../auth/access.decorator';
import { CurrentPrincipal } from '../../auth/caller';
import type { Principal } from '../../auth/principal';
import { RateLimit } from '../../auth/rate-limit/rate-limits';
import { ApiErrors } from '../../common/http/api-errors.decorator';
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
  @ApiOkResponse({ type: LinkPageResponse })
  @ApiErrors(400, 401, 403, 422, 429)
  list(
    @Query() query: ListLinksDto,
    @CurrentPrincipal() caller: Principal,
  ): Promise<LinkPageResponse> {
    return this.service.list(query, caller);
  }

  @Get(':url_id')
  @RateLimit('links.read')
  @ApiOkResponse({ type: LinkItemResponse })
  @ApiErrors(400, 401, 403, 404, 429)
  show(
    @Param('url_id', ParseIdPipe) urlId: string,
    @CurrentPrincipal() caller: Principal,
  ): Promise<LinkItemResponse> {
    return this.service.show(urlId, caller);
  }
}
