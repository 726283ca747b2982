import { Body, Controller, Get, HttpCode, Post, UseInterceptors } from '@nestjs/common';
import { ApiCreatedResponse, ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { Access } from '../auth/access.decorator';
import { CurrentClient, CurrentPrincipal } from '../auth/caller';
import type { Principal } from '../auth/principal';
import { RateLimit } from '../auth/rate-limit/rate-limits';
import { ApiErrors } from '../common/http/api-errors.decorator';
import { Client } from '../infrastructure/client-address/client';
import { MessageResponse, ProfileResponse, RegisteredResponse } from './account.response';
import { NewPasswordDto, RegisterDto } from './accounts.dto';
import { AccountsService } from './accounts.service';
import { SessionAnswer, type SignInOrigin } from './sessions/session';
import { CurrentOrigin, SessionCookies } from './sessions/session-cookies';

@ApiTags('Accounts')
@Controller('auth')
@UseInterceptors(SessionCookies)
export class AccountsController {
  constructor(private readonly service: AccountsService) {}

  @Post('register')
  @Access.public()
  @RateLimit('auth.register')
  @ApiCreatedResponse({ type: RegisteredResponse })
  @ApiErrors(400, 403, 409, 413, 422, 429)
  register(
    @Body() body: RegisterDto,
    @CurrentOrigin() origin: SignInOrigin,
  ): Promise<SessionAnswer<RegisteredResponse>> {
    return this.service.register(body, origin);
  }

  @Get('me')
  @Access.account()
  @RateLimit('auth.me')
  @ApiOkResponse({ type: ProfileResponse })
  @ApiErrors(429)
  me(@CurrentPrincipal() principal: Principal): Promise<ProfileResponse> {
    return this.service.profile(principal);
  }

  @Post('set-password')
  @HttpCode(200)
  @Access.account({ scopes: ['admin:all'], liveSession: true })
  @RateLimit('auth.set-password')
  @ApiOkResponse({ type: MessageResponse })
  @ApiErrors(400, 413, 422, 429)
  setPassword(
    @Body() body: NewPasswordDto,
    @CurrentPrincipal() principal: Principal,
    @CurrentClient() client: Client,
  ): Promise<MessageResponse> {
    return this.service.setPassword(principal, body, client);
  }
}
