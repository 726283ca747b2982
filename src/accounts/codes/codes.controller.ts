import { Body, Controller, HttpCode, Post, UseInterceptors } from '@nestjs/common';
import { ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { Access } from '../../auth/access.decorator';
import { CurrentClient, CurrentPrincipal } from '../../auth/caller';
import type { Principal } from '../../auth/principal';
import { RateLimit } from '../../auth/rate-limit/rate-limits';
import { ApiErrors } from '../../common/http/api-errors.decorator';
import { Client } from '../../infrastructure/client-address/client';
import { CodeSentResponse, MessageResponse, VerifiedResponse } from '../account.response';
import { ResetPasswordDto, ResetRequestDto, VerifyEmailDto } from '../accounts.dto';
import { SessionAnswer, type SignInOrigin } from '../sessions/session';
import { CurrentOrigin, SessionCookies } from '../sessions/session-cookies';
import { PasswordResetService } from './password-reset.service';
import { VerificationService } from './verification.service';

/** What is done with a code that comes by mail. */
@ApiTags('Accounts')
@Controller('auth')
@UseInterceptors(SessionCookies)
export class CodesController {
  constructor(
    private readonly verification: VerificationService,
    private readonly passwordReset: PasswordResetService,
  ) {}

  @Post('send-verification')
  @HttpCode(200)
  @Access.account()
  @RateLimit('auth.send-verification')
  @ApiOkResponse({ type: CodeSentResponse })
  @ApiErrors(403, 429)
  sendVerification(@CurrentPrincipal() principal: Principal): Promise<CodeSentResponse> {
    return this.verification.send(principal);
  }

  @Post('verify-email')
  @HttpCode(200)
  @Access.account({ scopes: ['admin:all'] })
  @RateLimit('auth.verify-email')
  @ApiOkResponse({ type: VerifiedResponse })
  @ApiErrors(400, 413, 422, 429)
  verifyEmail(
    @Body() { code }: VerifyEmailDto,
    @CurrentPrincipal() principal: Principal,
    @CurrentOrigin() origin: SignInOrigin,
  ): Promise<SessionAnswer<VerifiedResponse>> {
    return this.verification.verify(principal, code, origin);
  }

  @Post('request-password-reset')
  @HttpCode(200)
  @Access.public()
  @RateLimit('auth.request-password-reset')
  @ApiOkResponse({ type: MessageResponse })
  @ApiErrors(413, 422, 429)
  requestReset(
    @Body() { email }: ResetRequestDto,
    @CurrentClient() client: Client,
  ): Promise<MessageResponse> {
    return this.passwordReset.request(email, client);
  }

  @Post('reset-password')
  @HttpCode(200)
  @Access.public()
  @RateLimit('auth.reset-password')
  @ApiOkResponse({ type: MessageResponse })
  @ApiErrors(400, 413, 422, 429)
  resetPassword(
    @Body() body: ResetPasswordDto,
    @CurrentClient() client: Client,
  ): Promise<MessageResponse> {
    return this.passwordReset.reset(body, client);
  }
}
