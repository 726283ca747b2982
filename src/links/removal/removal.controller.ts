import { Controller, Delete, Param } from '@nestjs/common';
import { ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { Access } from '../../auth/access.decorator';
import { CurrentPrincipal } from '../../auth/caller';
import type { Principal } from '../../auth/principal';
import { RateLimit } from '../../auth/rate-limit/rate-limits';
import { ApiErrors } from '../../common/http/api-errors.decorator';
import { ParseIdPipe } from '../../common/http/parse-id.pipe';
import { RemovalService, RemovedLinkResponse } from './removal.service';

@ApiTags('Links')
@Controller('api/v1/urls/:url_id')
export class RemovalController {
  constructor(private readonly service: RemovalService) {}

  @Delete()
  @Access('urls:manage')
  @RateLimit('links.delete')
  @ApiOkResponse({ type: RemovedLinkResponse })
  @ApiErrors(400, 401, 403, 404, 429)
  remove(
    @Param('url_id', ParseIdPipe) urlId: string,
    @CurrentPrincipal() caller: Principal,
  ): Promise<RemovedLinkResponse> {
    return this.service.remove(urlId, caller);
  }
}
