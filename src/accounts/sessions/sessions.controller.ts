import { Body, Controller, HttpCode, Post, UseGuards, UseInterceptors } from '@nestjs/common';
import { ApiOkResponse, ApiSecurity, ApiTags } from '@nestjs/swagger';
import { Access } from '../../auth/access.decorator';
import { RateLimit } from '../../auth/rate-limit/rate-limits';
import { ApiErrors } from '../../common/http/api-errors.decorator';
import { answerHeaders } from '../../common/openapi/answer-headers';
import { Operation } from '../../common/openapi/operation.decorator';
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
  @Operation({
    id: 'login',
    summary: 'Sign in',
    description:
      'Begins a session: two cookies for browsers, and the access token for programs. An unknown address, a wrong password and an account without password are answered alike.',
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
  @ApiErrors(401, 413, 422)
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
      'Takes the cookie `refresh_token`, which works once, and sets both cookies anew. Using a spent one ends the session.',
  })
  @ApiOkResponse({
    type: TokenResponse,
    description: 'New tokens',
    headers: answerHeaders('Set-Cookie'),
  })
  @ApiErrors(401, [403, 'forbidden'])
  refresh(@RefreshToken() token: string | null): Promise<SessionAnswer<TokenResponse>> {
    return this.sessions.refresh(token);
  }

  @Post('logout')
  @HttpCode(200)
  @IgnoresBody()
  @RateLimit('auth.logout')
  @ApiSecurity('refresh_token')
  @ApiSecurity({})
  @Operation({
    id: 'logout',
    summary: 'Sign out',
    description: 'Ends the session of the cookie `refresh_token` and removes both cookies.',
  })
  @ApiOkResponse({
    type: DoneResponse,
    description: 'Signed out, whatever was sent',
    headers: answerHeaders('Set-Cookie'),
  })
  logout(@RefreshToken() token: string | null): Promise<SessionAnswer<DoneResponse>> {
    return this.sessions.logOut(token);
  }
}
