import { Body, Controller, HttpCode, Post, UseGuards, UseInterceptors } from '@nestjs/common';
import { ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { Access, CurrentClient, CurrentPrincipal, type Principal } from '../../auth/access';
import { RateLimit } from '../../auth/rate-limit/rate-limits';
import { Operation, Returns } from '../../common/http/route.decorators';
import { answerHeaders } from '../../common/openapi/answer-headers';
import { Client } from '../../infrastructure/client-address/client-address';
import { MAILBOX_LIMIT_TEXT } from '../../infrastructure/mail/mail-sender';
import { CodeSentResponse, MessageResponse, VerifiedResponse } from '../account/account.response';
import { ResetPasswordDto, ResetRequestDto, VerifyEmailDto } from '../account/accounts.dto';
import { SessionAnswer, type SignInOrigin } from '../sessions/session';
import { CurrentOrigin, SessionCookies } from '../sessions/session-cookies';
import { PasswordSignInGuard } from '../sign-in/password-sign-in.guard';
import { PasswordResetService, VerificationService } from './verification.service';

@ApiTags('Accounts')
@Controller('auth')
@UseInterceptors(SessionCookies)
export class CodesController {
  constructor(
    private readonly verification: VerificationService,
    private readonly passwordReset: PasswordResetService,
  ) {}

  @Post('send-verification')
  @Access.account()
  @RateLimit('auth.send-verification')
  @Operation({
    id: 'sendVerificationCode',
    summary: 'Send a verification code',
    description: `Emails a six-digit code to the account's address and invalidates earlier codes. ${MAILBOX_LIMIT_TEXT}`,
  })
  @Returns(200, CodeSentResponse, 'The code is on its way, or not needed')
  sendVerification(@CurrentPrincipal() principal: Principal) {
    return this.verification.send(principal);
  }

  @Post('verify-email')
  @HttpCode(200)
  @Access.account({ scopes: ['admin:all'] })
  @RateLimit('auth.verify-email')
  @Operation({
    id: 'verifyEmail',
    summary: 'Verify the email address',
    description: 'Checks the emailed code and returns tokens for the verified account.',
    examples: { code: { summary: 'The six digits', value: { code: '123456' } } },
  })
  @ApiOkResponse({
    type: VerifiedResponse,
    description: 'The address is verified',
    headers: answerHeaders('Set-Cookie'),
  })
  verifyEmail(
    @Body() { code }: VerifyEmailDto,
    @CurrentPrincipal() principal: Principal,
    @CurrentOrigin() origin: SignInOrigin,
  ): Promise<SessionAnswer<VerifiedResponse>> {
    return this.verification.verify(principal, code, origin);
  }

  @Post('request-password-reset')
  @UseGuards(PasswordSignInGuard)
  @Access.public()
  @RateLimit('auth.request-password-reset')
  @Operation({
    id: 'requestPasswordReset',
    summary: 'Send a password reset code',
    description: `Emails a code if the account exists. The response is the same if it does not. ${MAILBOX_LIMIT_TEXT}`,
    examples: { email: { summary: 'An address', value: { email: 'ada@example.com' } } },
  })
  @Returns(200, MessageResponse, 'A code is sent if the account exists', [403, 'forbidden'])
  requestReset(@Body() { email }: ResetRequestDto, @CurrentClient() client: Client) {
    return this.passwordReset.request(email, client);
  }

  @Post('reset-password')
  @UseGuards(PasswordSignInGuard)
  @Access.public()
  @RateLimit('auth.reset-password')
  @Operation({
    id: 'resetPassword',
    summary: 'Set a new password with a code',
    description:
      "Checks the emailed code, sets the password and ends all of the account's sessions.",
    examples: {
      reset: {
        summary: 'Address, code and new password',
        value: { email: 'ada@example.com', code: '123456', password: 'Difference-Engine-2' },
      },
    },
  })
  @Returns(200, MessageResponse, 'The password is changed', [403, 'forbidden'])
  resetPassword(@Body() body: ResetPasswordDto, @CurrentClient() client: Client) {
    return this.passwordReset.reset(body, client);
  }
}
