import type { Client } from '../infrastructure/client-address/client-address';
import { Controller, Delete, Get, Param } from '@nestjs/common';
import { ApiParam, ApiTags } from '@nestjs/swagger';
import { Access, CurrentClient, CurrentPrincipal, type Principal } from '../auth/access';
import { RateLimit } from '../auth/rate-limit/rate-limits';
import { MessageResponse } from '../accounts/account/account.response';
import { Operation, Returns } from '../common/http/route.decorators';
import { PROVIDER_NAMES } from '../config/sign-in-providers';
import { LinkedProvidersService } from './linked-providers.service';
import { LinkedProvidersResponse } from './oauth.response';

/** Must be registered before `/oauth/{provider}` (docs/contract.md#15). */
@ApiTags('OAuth')
@Controller('oauth/providers')
@Access.account()
export class LinkedProvidersController {
  constructor(private readonly service: LinkedProvidersService) {}

  @Get()
  @RateLimit('oauth.providers')
  @Operation({
    id: 'listProviders',
    summary: 'List the linked sign-in providers',
    description: 'Lists the providers that the account can sign in with.',
  })
  @Returns(200, LinkedProvidersResponse, 'The linked providers')
  list(@CurrentPrincipal() principal: Principal) {
    return this.service.list(principal);
  }

  @Delete(':provider_name/unlink')
  @Access.account({ scopes: ['admin:all'] })
  @RateLimit('oauth.unlink')
  @Operation({
    id: 'unlinkProvider',
    summary: 'Unlink a sign-in provider',
    description:
      'Removes a sign-in method. The last one cannot be removed. The account gets an email.',
  })
  @ApiParam({ name: 'provider_name', enum: PROVIDER_NAMES, description: 'The provider' })
  @Returns(200, MessageResponse, 'It is unlinked', 404)
  unlink(
    @CurrentPrincipal() principal: Principal,
    @CurrentClient() client: Client,
    @Param('provider_name') provider: string,
  ) {
    return this.service.unlink(principal, provider, client);
  }
}
