import {
  Controller,
  createParamDecorator,
  type ExecutionContext,
  Get,
  Header,
  Param,
  Query,
  Redirect,
  UseInterceptors,
} from '@nestjs/common';
import { ApiFoundResponse, ApiParam, ApiQuery, ApiTags } from '@nestjs/swagger';
import type { Request } from 'express';
import { SessionAnswer, type SignInOrigin } from '../accounts/sessions/session';
import { CurrentOrigin, SessionCookies } from '../accounts/sessions/session-cookies';
import { Access } from '../auth/access.decorator';
import { CurrentPrincipal } from '../auth/caller';
import type { Principal } from '../auth/principal';
import { RateLimit } from '../auth/rate-limit/rate-limits';
import { ChangesOnGet } from '../common/http/changes-on-get.decorator';
import { ApiErrors } from '../common/http/api-errors.decorator';
import { CallbackParameters, OauthService, type RedirectResult } from './oauth.service';
import { BrowserBinding, CurrentBrowser, StartedAttempt } from './states/browser-binding';

const NEXT = { name: 'next', required: false, description: 'Path of this site to end at' };

/** Hands a handler what the provider has sent the browser back with. */
export const CallbackAnswer = createParamDecorator(
  (_: unknown, context: ExecutionContext) =>
    new CallbackParameters(context.switchToHttp().getRequest<Request>().originalUrl),
);

@ApiTags('OAuth')
@ApiParam({ name: 'provider', enum: ['google', 'oidc'] })
@Controller('oauth/:provider')
@UseInterceptors(BrowserBinding, SessionCookies)
export class OauthController {
  constructor(private readonly service: OauthService) {}

  @Get()
  @ChangesOnGet()
  @Redirect()
  @Header('Cache-Control', 'no-store')
  @Access.public()
  @RateLimit('oauth.start')
  @ApiQuery(NEXT)
  @ApiFoundResponse({ description: 'To the provider' })
  @ApiErrors(404, 429)
  start(
    @Param('provider') provider: string,
    @Query('next') next: unknown,
    @CurrentBrowser() browser: string | null,
  ): Promise<StartedAttempt> {
    return this.service.startSignIn(provider, next, browser);
  }

  @Get('link')
  @ChangesOnGet()
  @Redirect()
  @Header('Cache-Control', 'no-store')
  @Access.session({ verified: false, liveSession: true })
  @RateLimit('oauth.link')
  @ApiQuery(NEXT)
  @ApiFoundResponse({ description: 'To the provider, to link it' })
  @ApiErrors(404, 429)
  link(
    @Param('provider') provider: string,
    @Query('next') next: unknown,
    @CurrentPrincipal() principal: Principal,
    @CurrentBrowser() browser: string | null,
  ): Promise<StartedAttempt> {
    return this.service.startLink(provider, next, principal, browser);
  }

  @Get('callback')
  @ChangesOnGet()
  @Redirect()
  @Header('Cache-Control', 'no-store')
  @Access.public()
  @RateLimit('oauth.callback')
  @ApiFoundResponse({ description: 'Signed in: both cookies are set' })
  @ApiErrors(400, 403, 404, 409, 429)
  callback(
    @Param('provider') provider: string,
    @CallbackAnswer() answer: CallbackParameters,
    @CurrentBrowser() browser: string | null,
    @CurrentOrigin() origin: SignInOrigin,
  ): Promise<SessionAnswer<RedirectResult>> {
    return this.service.finish(provider, answer, browser, origin);
  }
}
