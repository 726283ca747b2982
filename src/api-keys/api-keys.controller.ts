import type { Client } from '../infrastructure/client-address/client-address';
import { Body, Controller, Delete, Get, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Access, CurrentClient, CurrentPrincipal, type Principal } from '../auth/access';
import { RateLimit } from '../auth/rate-limit/rate-limits';
import { IdParam, Operation, Returns } from '../common/http/route.decorators';
import { Attempt } from '../idempotency/attempt';
import { CurrentAttempt, Retryable } from '../idempotency/retryable.decorator';
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
  @RateLimit('keys.create')
  @Retryable({ secretField: 'token' })
  @Operation({
    id: 'createApiKey',
    summary: 'Create an API key',
    description:
      'Creates a key for programs. Only this response contains the key itself. An account can have up to 20 keys that have not been revoked. The account gets an email.',
    examples: {
      key: {
        summary: 'A key that creates and reads links',
        value: { name: 'Newsletter', scopes: ['shorten:create', 'urls:read', 'stats:read'] },
      },
    },
  })
  @Returns(201, CreatedApiKeyResponse, 'The key')
  create(
    @Body() body: CreateKeyDto,
    @CurrentPrincipal() principal: Principal,
    @CurrentClient() client: Client,
    @CurrentAttempt() attempt: Attempt,
  ) {
    return this.service.create(body, principal, client, attempt);
  }

  @Get()
  @RateLimit('keys.list')
  @Operation({
    id: 'listApiKeys',
    summary: 'List your API keys',
    description: 'Lists all keys, oldest first, including revoked keys.',
  })
  @Returns(200, ApiKeyListResponse, 'All keys, without their tokens')
  list(@CurrentPrincipal() principal: Principal) {
    return this.service.list(principal);
  }

  @Delete(':id')
  @RateLimit('keys.delete')
  @Operation({
    id: 'revokeApiKey',
    summary: 'Revoke or delete an API key',
    description: 'The key stops working immediately. Revoked keys stay in the list.',
  })
  @Returns(200, ApiKeyRemovalResponse, 'The key no longer works', 403, 404)
  end(
    @IdParam("The key's ID") id: string,
    @Query() { revoke }: DeleteKeyDto,
    @CurrentPrincipal() principal: Principal,
  ) {
    return this.service.end(id, revoke === 'true', principal);
  }
}
