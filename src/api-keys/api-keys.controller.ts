import type { Client } from '../infrastructure/client-address/client';
import { Body, Controller, Delete, Get, Param, Post, Query } from '@nestjs/common';
import { ApiCreatedResponse, ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { Access } from '../auth/access.decorator';
import { CurrentPrincipal } from '../auth/caller';
import { CurrentClient } from '../auth/caller';
import type { Principal } from '../auth/principal';
import { RateLimit } from '../auth/rate-limit/rate-limits';
import { ApiErrors } from '../common/http/api-errors.decorator';
import { ParseIdPipe } from '../common/http/parse-id.pipe';
import {
  CreatedApiKeyResponse,
  ApiKeyListResponse,
  ApiKeyRemovalResponse,
} from './api-key.response';
import { CreateKeyDto, DeleteKeyDto } from './api-key.dto';
import { ApiKeysService } from './api-keys.service';

@ApiTags('API keys')
@Controller('api/v1/keys')
@Access.session()
export class ApiKeysController {
  constructor(private readonly service: ApiKeysService) {}

  @Post()
  @Access.session({ liveSession: true })
  @RateLimit('keys.create')
  @ApiCreatedResponse({ type: CreatedApiKeyResponse })
  @ApiErrors(400, 413, 422, 429)
  create(
    @Body() body: CreateKeyDto,
    @CurrentPrincipal() principal: Principal,
    @CurrentClient() client: Client,
  ): Promise<CreatedApiKeyResponse> {
    return this.service.create(body, principal, client);
  }

  @Get()
  @RateLimit('keys.list')
  @ApiOkResponse({ type: ApiKeyListResponse })
  @ApiErrors(429)
  list(@CurrentPrincipal() principal: Principal): Promise<ApiKeyListResponse> {
    return this.service.list(principal);
  }

  @Delete(':id')
  @RateLimit('keys.delete')
  @ApiOkResponse({ type: ApiKeyRemovalResponse })
  @ApiErrors(400, 404, 422, 429)
  end(
    @Param('id', ParseIdPipe) id: string,
    @Query() { revoke }: DeleteKeyDto,
    @CurrentPrincipal() principal: Principal,
  ): Promise<ApiKeyRemovalResponse> {
    return this.service.end(id, revoke === 'true', principal);
  }
}
