import {
  Body,
  Controller,
  createParamDecorator,
  type ExecutionContext,
  Get,
  Post,
  Redirect,
  UseFilters,
  UseGuards,
  UseInterceptors,
} from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Request } from 'express';
import {
  Access,
  type Caller,
  callerFromRequest,
  CurrentCaller,
  CurrentClient,
  viewerFromRequest,
} from '../../auth/access';
import { RateLimit } from '../../auth/rate-limit/rate-limits';
import { type HttpResult, SendsResult } from '../../common/http/http-result';
import { TakesForms } from '../../common/http/taken-body';
import { Client } from '../../infrastructure/client-address/client-address';
import { ResetRequestDto } from '../account/accounts.dto';
import { SessionAnswer, type SignInOrigin } from '../sessions/session';
import { CurrentOrigin, RefreshToken, SessionCookies } from '../sessions/session-cookies';
import { PasswordSignInGuard } from '../sign-in/password-sign-in.guard';
import { AccountPageFilter } from './account-page.filter';
import { LoginFormDto, RegisterFormDto, ResetFormDto, VerifyFormDto } from './account-forms.dto';
import {
  AccountPagesService,
  isLocal,
  KeepsTypedEmail,
  type Onward,
  type OnwardWithEmail,
  type PageVisit,
  TypedEmail,
} from './account-pages.service';
import { OwnFormGuard } from './own-form.guard';

const CurrentVisit = createParamDecorator((_: unknown, context: ExecutionContext): PageVisit => {
  const request = context.switchToHttp().getRequest<Request>();
  const { next, done } = request.query;
  const { principal } = callerFromRequest(request);
  return { principal, viewer: viewerFromRequest(request), isLocal: isLocal(request), next, done };
});

@ApiExcludeController()
@Controller()
@Access.page({ liveSession: true, whileLeaving: true })
@TakesForms()
@UseGuards(OwnFormGuard)
@UseFilters(AccountPageFilter)
@UseInterceptors(SessionCookies, KeepsTypedEmail)
export class AccountPagesController {
  constructor(private readonly service: AccountPagesService) {}

  @Get('login')
  @SendsResult()
  @RateLimit.none()
  showLogin(@CurrentVisit() visit: PageVisit): HttpResult {
    return this.service.showLogin(visit);
  }

  @Post('login')
  @UseGuards(PasswordSignInGuard)
  @Redirect()
  @RateLimit('auth.login')
  login(
    @Body() body: LoginFormDto,
    @CurrentOrigin() origin: SignInOrigin,
  ): Promise<SessionAnswer<Onward>> {
    return this.service.login(body, origin);
  }

  @Get('register')
  @SendsResult()
  @RateLimit.none()
  showRegister(@CurrentVisit() visit: PageVisit): HttpResult {
    return this.service.showRegister(visit);
  }

  @Post('register')
  @UseGuards(PasswordSignInGuard)
  @Redirect()
  @RateLimit('auth.register')
  register(
    @Body() body: RegisterFormDto,
    @CurrentOrigin() origin: SignInOrigin,
  ): Promise<SessionAnswer<Onward>> {
    return this.service.register(body, origin);
  }

  @Get('register/verify')
  @SendsResult()
  @RateLimit.none()
  showVerify(@CurrentVisit() visit: PageVisit): Promise<HttpResult> {
    return this.service.showVerify(visit);
  }

  @Post('register/verify')
  @Redirect()
  @Access.page({ liveSession: true })
  @RateLimit('auth.verify-email')
  verify(
    @CurrentCaller() { principal }: Caller,
    @Body() body: VerifyFormDto,
    @CurrentOrigin() origin: SignInOrigin,
  ): Promise<Onward | SessionAnswer<Onward>> {
    return this.service.verify(principal, body, origin);
  }

  @Post('register/verify/resend')
  @Redirect()
  @Access.page({ liveSession: true })
  @RateLimit('auth.send-verification')
  resend(@CurrentCaller() { principal }: Caller): Promise<Onward> {
    return this.service.resend(principal);
  }

  @Get('login/forgot-password')
  @SendsResult()
  @RateLimit.none()
  showForgotPassword(@CurrentVisit() visit: PageVisit): HttpResult {
    return this.service.showForgotPassword(visit);
  }

  @Post('login/forgot-password')
  @UseGuards(PasswordSignInGuard)
  @Redirect()
  @RateLimit('auth.request-password-reset')
  forgotPassword(
    @Body() body: ResetRequestDto,
    @CurrentClient() client: Client,
  ): Promise<OnwardWithEmail> {
    return this.service.forgotPassword(body, client);
  }

  @Get('login/reset-password')
  @SendsResult()
  @RateLimit.none()
  showResetPassword(
    @CurrentVisit() visit: PageVisit,
    @TypedEmail() email: string | undefined,
  ): Promise<HttpResult> {
    return this.service.showResetPassword(visit, email);
  }

  @Post('login/reset-password')
  @UseGuards(PasswordSignInGuard)
  @Redirect()
  @RateLimit('auth.reset-password')
  resetPassword(@Body() body: ResetFormDto, @CurrentClient() client: Client): Promise<Onward> {
    return this.service.resetPassword(body, client);
  }

  @Post('dashboard/logout')
  @Redirect()
  @RateLimit('auth.logout')
  logOut(@RefreshToken() token: string | null): Promise<SessionAnswer<Onward>> {
    return this.service.logOut(token);
  }

  /** For password managers (W3C: A Well-Known URL for Changing Passwords). */
  @Get('.well-known/change-password')
  @Redirect('/dashboard/settings', 303)
  @RateLimit.none()
  toChangePassword(): void {
    // The decorator redirects.
  }

  @Get('signup')
  @Redirect('/register', 301)
  @RateLimit.none()
  toRegister(): void {
    // The decorator redirects.
  }
}
