import { Body, Controller, HttpCode, Post, UseGuards, UseInterceptors } from '@nestjs/common';
import { ApiCookieAuth, ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { Access } from '../../auth/access.decorator';
import { RateLimit } from '../../auth/rate-limit/rate-limits';
import { ApiErrors } from '../../common/http/api-errors.decorator';
import { IgnoresBody } from '../../common/http/body-fault.interceptor';
import { DoneResponse, SignedInResponse, TokenResponse } from '../account.response';
import { LoginDto } from '../accounts.dto';
import { AccountsService } from '../accounts.service';
import { SessionAnswer, type SignInOrigin } from './session';
import { CurrentOrigin, RefreshOriginGuard, RefreshToken, SessionCookies } from './session-cookies';
import { SessionsService } from './sessions.service';

@ApiTags('Accounts')
@Controller('auth')
@Access.public()
@UseInterceptors(SessionCookies)
export class SessionsController {
  constructor(
    private readonly accounts: AccountsService,
    private readonly sessions: SessionsService,
  ) {}

  @Post('login')
  @HttpCode(200)
  @RateLimit('auth.login')
  @ApiOkResponse({ type: SignedInResponse })
  @ApiErrors(401, 413, 422, 429)
  login(
    @Body() body: LoginDto,
    @CurrentOrigin() origin: SignInOrigin,
  ): Promise<SessionAnswer<SignedInResponse>> {
    return this.accounts.login(body, origin);
  }

  @Post('refresh')
  @HttpCode(200)
  @UseGuards(RefreshOriginGuard)
  @RateLimit('auth.refresh')
  @ApiCookieAuth('refresh_token')
  @ApiOkResponse({ type: TokenResponse })
  @ApiErrors(401, 403, 429)
  refresh(@RefreshToken() token: string | null): Promise<SessionAnswer<TokenResponse>> {
    return this.sessions.refresh(token);
  }

  @Post('logout')
  @HttpCode(200)
  @IgnoresBody()
  @RateLimit('auth.logout')
  @ApiOkResponse({ type: DoneResponse })
  @ApiErrors(429)
  logout(@RefreshToken() token: string | null): Promise<SessionAnswer<DoneResponse>> {
    return this.sessions.logOut(token);
  }
}
