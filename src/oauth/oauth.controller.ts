import {
  applyDecorators,
  Controller,
  createParamDecorator,
  type ExecutionContext,
  Get,
  Header,
  Param,
  Query,
  Redirect,
  UseFilters,
  UseInterceptors,
} from '@nestjs/common';
import { ApiFoundResponse, ApiParam, ApiQuery, ApiTags } from '@nestjs/swagger';
import type { Request } from 'express';
import { SessionAnswer, type SignInOrigin } from '../accounts/sessions/session';
import { CurrentOrigin, SessionCookies } from '../accounts/sessions/session-cookies';
import { Access, CurrentPrincipal, type Principal } from '../auth/access';
import { RateLimit } from '../auth/rate-limit/rate-limits';
import { ChangesOnGet } from '../common/http/changes-on-get.decorator';
import { ApiErrors, Operation } from '../common/http/route.decorators';
import { answerHeaders } from '../common/openapi/answer-headers';
import { PROVIDER_NAMES } from '../config/sign-in-providers';
import { CallbackParameters, OauthService, type RedirectResult } from './oauth.service';
import { OauthPageFilter } from './oauth-page.filter';
import { BrowserBinding, CurrentBrowser, StartedAttempt } from './states/states.service';

const NEXT = {
  name: 'next',
  required: false,
  type: String,
  description: 'Path on this site to return to, such as `/docs`',
};

function CallbackParams(): MethodDecorator {
  const parameter = (name: string, description: string) =>
    ApiQuery({ name, description, required: false, type: String });
  return applyDecorators(
    parameter('state', 'The state for this sign-in; can be used once, within ten minutes'),
    parameter('code', "The provider's authorization code"),
    parameter('error', "The provider's error, instead of a code"),
  );
}

export const CallbackAnswer = createParamDecorator(
  (_: unknown, context: ExecutionContext) =>
    new CallbackParameters(context.switchToHttp().getRequest<Request>().originalUrl),
);

@ApiTags('OAuth')
@ApiParam({ name: 'provider', enum: PROVIDER_NAMES, description: 'The provider' })
@Controller('oauth/:provider')
@UseFilters(OauthPageFilter)
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
  @Operation({
    id: 'startOauthSignIn',
    summary: 'Start a sign-in with a provider',
    description: 'For browsers. Redirects to the provider, which then redirects to the callback.',
  })
  @ApiFoundResponse({
    description: 'Redirect to the provider',
    headers: answerHeaders('Location', 'Set-Cookie'),
  })
  @ApiErrors(404)
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
  @Access.session({ verified: false, liveSession: true, whileLeaving: false })
  @RateLimit('oauth.link')
  @ApiQuery(NEXT)
  @Operation({
    id: 'startOauthLink',
    summary: 'Start linking a provider',
    description: 'For browsers. Like signing in, but links the provider to the signed-in account.',
  })
  @ApiFoundResponse({
    description: 'Redirect to the provider, to link it',
    headers: answerHeaders('Location', 'Set-Cookie'),
  })
  @ApiErrors(404)
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
  @Operation({
    id: 'finishOauthSignIn',
    summary: "Handle a provider's callback",
    description:
      'Providers redirect the browser here. The callback signs the user in, creates an account for a new identity, or links the provider.',
  })
  @CallbackParams()
  @ApiFoundResponse({
    description: 'Signed in: both cookies are set',
    headers: answerHeaders('Location', 'Set-Cookie'),
  })
  @ApiErrors(401, 403, 404, 409)
  callback(
    @Param('provider') provider: string,
    @CallbackAnswer() answer: CallbackParameters,
    @CurrentBrowser() browser: string | null,
    @CurrentOrigin() origin: SignInOrigin,
  ): Promise<SessionAnswer<RedirectResult>> {
    return this.service.finish(provider, answer, browser, origin);
  }
}
