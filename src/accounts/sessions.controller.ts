import {
  Body,
  Controller,
  Delete,
  Get,
  HttpCode,
  Post,
  UseGuards,
  UseInterceptors,
} from '@nestjs/common';
import { ApiOkResponse, ApiSecurity, ApiTags } from '@nestjs/swagger';
import { Access, CurrentPrincipal, type Principal } from '../auth/access';
import { AlsoLimited, RateLimit } from '../auth/rate-limit/rate-limits';
import { ApiErrors, IdParam, Operation } from '../common/http/route.decorators';
import { answerHeaders } from '../common/openapi/answer-headers';
import { DoneResponse, SignedInResponse, TokenResponse } from './account/account.response';
import { LoginDto } from './account/accounts.dto';
import { AccountsService } from './sign-in/accounts.service';
import { SessionAnswer, type SignInOrigin } from './sessions/session';
import { LOGIN_LIMITS } from './sessions/login-throttle';
import {
  CurrentOrigin,
  RefreshOriginGuard,
  RefreshToken,
  SessionCookies,
} from './sessions/session-cookies';
import { SessionsResponse } from './sessions/session.response';
import { SessionsService } from './sessions/sessions.service';
import { PasswordSignInGuard } from './sign-in/password-sign-in.guard';

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
  @UseGuards(PasswordSignInGuard)
  @HttpCode(200)
  @RateLimit('auth.login')
  @AlsoLimited(LOGIN_LIMITS)
  @Operation({
    id: 'login',
    summary: 'Sign in',
    description:
      'Starts a session: sets two cookies for browsers and returns the access token for programs. An unknown address, a wrong password and an account without a password all get the same response. For a suspended account, the correct password returns 403 with `hint` set to `suspended`.',
    examples: {
      login: {
        summary: 'Address and password',
        value: { email: 'ada@example.com', password: 'Analytical-Engine-1' },
      },
    },
  })
  @ApiOkResponse({
    type: SignedInResponse,
    description: 'Signed in',
    headers: answerHeaders('Set-Cookie'),
  })
  @ApiErrors(401, 403)
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
  @ApiSecurity('refresh_token')
  @Operation({
    id: 'refreshSession',
    summary: 'Get new tokens',
    description:
      'Requires the cookie `refresh_token`, which can be used only once, and sets both cookies again. Reusing a spent token ends the session.',
  })
  @ApiOkResponse({
    type: TokenResponse,
    description: 'New tokens',
    headers: answerHeaders('Set-Cookie'),
  })
  @ApiErrors(401, [403, 'forbidden'])
  refresh(@CurrentOrigin() origin: SignInOrigin): Promise<SessionAnswer<TokenResponse>> {
    return this.sessions.refresh(origin);
  }

  @Post('logout')
  @HttpCode(200)
  @RateLimit('auth.logout')
  @ApiSecurity('refresh_token')
  @ApiSecurity({})
  @Operation({
    id: 'logout',
    summary: 'Sign out',
    description:
      'Ends the session identified by the cookie `refresh_token` and clears both cookies.',
  })
  @ApiOkResponse({
    type: DoneResponse,
    description: 'Signed out, even without a valid cookie',
    headers: answerHeaders('Set-Cookie'),
  })
  logout(@RefreshToken() token: string | null): Promise<SessionAnswer<DoneResponse>> {
    return this.sessions.logOut(token);
  }
}

@ApiTags('Accounts')
@Controller('auth/sessions')
@Access.session({ verified: false, liveSession: true, whileLeaving: true })
@UseInterceptors(SessionCookies)
export class OwnSessionsController {
  constructor(private readonly sessions: SessionsService) {}

  @Get()
  @RateLimit('auth.sessions')
  @Operation({
    id: 'listSessions',
    summary: 'List your sessions',
    description:
      'Lists where the account is signed in. Browser, operating system and country are from the sign-in or the latest token refresh.',
  })
  @ApiOkResponse({ type: SessionsResponse, description: 'The sessions, last seen first' })
  list(@CurrentPrincipal() principal: Principal): Promise<SessionsResponse> {
    return this.sessions.list(principal);
  }

  @Delete()
  @RateLimit('auth.end-sessions')
  @Operation({
    id: 'endOtherSessions',
    summary: 'End all other sessions',
    description: "Ends all of the account's sessions except the current one.",
  })
  @ApiOkResponse({ type: DoneResponse, description: 'The sessions have ended' })
  endOthers(@CurrentPrincipal() principal: Principal): Promise<DoneResponse> {
    return this.sessions.endOthers(principal);
  }

  @Delete(':id')
  @RateLimit('auth.end-sessions')
  @Operation({
    id: 'endSession',
    summary: 'End a session',
    description:
      "Ends one of the account's sessions. If it is the current session, both cookies are cleared.",
  })
  @ApiOkResponse({ type: DoneResponse, description: 'The session has ended' })
  @ApiErrors(404)
  end(
    @IdParam("The session's ID") id: string,
    @CurrentPrincipal() principal: Principal,
  ): Promise<DoneResponse | SessionAnswer<DoneResponse>> {
    return this.sessions.end(id, principal);
  }
}
