import { Body, Controller, Param, Patch } from '@nestjs/common';
import { ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { Access } from '../../auth/access.decorator';
import { CurrentClient, CurrentPrincipal } from '../../auth/caller';
import type { Principal } from '../../auth/principal';
import { RateLimit } from '../../auth/rate-limit/rate-limits';
import { ApiErrors } from '../../common/http/api-errors.decorator';
import { Client } from '../../infrastructure/client-address/client';
import { UpdatedLinkResponse } from '../link.response';
import { ChangesService } from './changes.service';
import { UpdateLinkDto, UpdateStatusDto } from '../link.dto';

@ApiTags('Links')
@Controller('api/v1/urls/:url_id')
@Access('urls:manage')
export class ChangesController {
  constructor(private readonly service: ChangesService) {}

  @Patch()
  @RateLimit('links.update')
  @ApiOkResponse({ type: UpdatedLinkResponse })
  @ApiErrors(400, 401, 403, 404, 409, 413, 422, 429)
  update(
    @Param('url_id') urlId: string,
    @Body() body: UpdateLinkDto,
    @CurrentPrincipal() caller: Principal,
    @CurrentClient() client: Client,
  ): Promise<UpdatedLinkResponse> {
    return this.service.update(urlId, body, caller, client);
  }

  @Patch('status')
  @RateLimit('links.status')
  @ApiOkResponse({ type: UpdatedLinkResponse })
  @ApiErrors(400, 401, 403, 404, 413, 422, 429)
  setStatus(
    @Param('url_id') urlId: string,
    @Body() body: UpdateStatusDto,
    @CurrentPrincipal() caller: Principal,
  ): Promise<UpdatedLinkResponse> {
    return this.service.setStatus(urlId, body, caller);
  }
}
