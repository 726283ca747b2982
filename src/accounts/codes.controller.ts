import { Body, Controller, HttpCode, Post, Res } from '@nestjs/common';
import { ApiBearerAuth, ApiCookieAuth, ApiOkResponse, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { Access } from '../access/access.decorator';
import { CurrentClient, CurrentPrincipal } from '../access/caller';
import type { Principal } from '../access/principal';
import { RateLimit } from '../access/rate-limit.decorator';
import { ApiFailures } from '../http/api-failures';
import { Client } from '../platform/address/client';
import { CodeSentAnswer, MessageAnswer, VerifiedAnswer } from './accounts.answers';
import { ResetPasswordDto, ResetRequestDto, VerifyEmailDto } from './accounts.dto';
import { PasswordReset } from './password-reset.service';
import { Verification } from './verification.service';

/** What is done with a code that comes by mail. */
@ApiTags('Accounts')
@Controller('auth')
export class CodesController {
  constructor(
    private readonly verification: Verification,
    private readonly passwordReset: PasswordReset,
  ) {}

  @Post('send-verification')
  @HttpCode(200)
  @Access.account()
  @RateLimit('auth.send-verification')
  @ApiBearerAuth()
  @ApiCookieAuth('access_token')
  @ApiOkResponse({ type: CodeSentAnswer })
  @ApiFailures(401, 403, 429)
  sendVerification(@CurrentPrincipal() principal: Principal): Promise<CodeSentAnswer> {
    return this.verification.send(principal);
  }

  @Post('verify-email')
  @HttpCode(200)
  @Access.account({ scopes: ['admin:all'] })
  @RateLimit('auth.verify-email')
  @ApiBearerAuth()
  @ApiCookieAuth('access_token')
  @ApiOkResponse({ type: VerifiedAnswer })
  @ApiFailures(400, 401, 403, 413, 422, 429)
  verifyEmail(
    @Body() { code }: VerifyEmailDto,
    @CurrentPrincipal() principal: Principal,
    @CurrentClient() client: Client,
    @Res({ passthrough: true }) response: Response,
  ): Promise<VerifiedAnswer> {
    return this.verification.verify(principal, code, client, response);
  }

  @Post('request-password-reset')
  @HttpCode(200)
  @Access.public()
  @RateLimit('auth.request-password-reset')
  @ApiOkResponse({ type: MessageAnswer })
  @ApiFailures(413, 422, 429)
  requestReset(
    @Body() { email }: ResetRequestDto,
    @CurrentClient() client: Client,
  ): Promise<MessageAnswer> {
    return this.passwordReset.request(email, client);
  }

  @Post('reset-password')
  @HttpCode(200)
  @Access.public()
  @RateLimit('auth.reset-password')
  @ApiOkResponse({ type: MessageAnswer })
  @ApiFailures(400, 413, 422, 429)
  resetPassword(
    @Body() body: ResetPasswordDto,
    @CurrentClient() client: Client,
  ): Promise<MessageAnswer> {
    return this.passwordReset.reset(body, client);
  }
}
