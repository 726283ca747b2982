import {
  Body,
  Controller,
  Get,
  HttpCode,
  Patch,
  Post,
  UseGuards,
  UseInterceptors,
} from '@nestjs/common';
import { ApiCreatedResponse, ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { Access, CurrentClient, CurrentPrincipal, type Principal } from '../auth/access';
import { AlsoLimited, RateLimit } from '../auth/rate-limit/rate-limits';
import { ApiErrors, Operation, Returns } from '../common/http/route.decorators';
import { answerHeaders } from '../common/openapi/answer-headers';
import { Client } from '../infrastructure/client-address/client-address';
import { MAILBOX_LIMIT_TEXT } from '../infrastructure/mail/mail-sender';
import { MessageResponse, ProfileResponse, RegisteredResponse } from './account/account.response';
import {
  ChangePasswordDto,
  NewPasswordDto,
  RegisterDto,
  UpdateProfileDto,
} from './account/accounts.dto';
import { AccountsService } from './sign-in/accounts.service';
import { PasswordSignInGuard } from './sign-in/password-sign-in.guard';
import { LOGIN_LIMITS } from './sessions/login-throttle';
import { SessionAnswer, type SignInOrigin } from './sessions/session';
import { CurrentOrigin, SessionCookies } from './sessions/session-cookies';

@ApiTags('Accounts')
@Controller('auth')
@UseInterceptors(SessionCookies)
export class AccountsController {
  constructor(private readonly service: AccountsService) {}

  @Post('register')
  @UseGuards(PasswordSignInGuard)
  @Access.public()
  @RateLimit('auth.register')
  @Operation({
    id: 'register',
    summary: 'Create an account',
    description: `Creates an account, signs it in and emails a code to verify the address. Until the address is verified, the account cannot use /api/v1. ${MAILBOX_LIMIT_TEXT}`,
    examples: {
      account: {
        summary: 'An account with a name',
        value: { email: 'ada@example.com', password: 'Analytical-Engine-1', user_name: 'Ada' },
      },
    },
  })
  @ApiCreatedResponse({
    type: RegisteredResponse,
    description: 'The account, signed in',
    headers: answerHeaders('Set-Cookie'),
  })
  @ApiErrors(403, 409)
  register(
    @Body() body: RegisterDto,
    @CurrentOrigin() origin: SignInOrigin,
  ): Promise<SessionAnswer<RegisteredResponse>> {
    return this.service.register(body, origin);
  }

  @Get('me')
  @Access.account()
  @RateLimit('auth.me')
  @Operation({
    id: 'getAccount',
    summary: 'Read your account',
    description: 'Returns the account that the session or API key belongs to.',
  })
  @Returns(200, ProfileResponse, 'The account')
  me(@CurrentPrincipal() principal: Principal) {
    return this.service.profile(principal);
  }

  @Patch('me')
  @Access.session({ verified: false })
  @RateLimit('auth.update-me')
  @Operation({
    id: 'updateAccount',
    summary: 'Change your account',
    description: 'Changes only the fields in the body; `null` removes the name.',
    examples: { name: { summary: 'Another name', value: { user_name: 'Ada L.' } } },
  })
  @Returns(200, ProfileResponse, 'The changed account')
  updateMe(@Body() body: UpdateProfileDto, @CurrentPrincipal() principal: Principal) {
    return this.service.updateProfile(principal, body);
  }

  @Post('change-password')
  @UseGuards(PasswordSignInGuard)
  @HttpCode(200)
  @Access.session({ verified: false })
  @RateLimit('auth.change-password')
  @AlsoLimited(LOGIN_LIMITS)
  @Operation({
    id: 'changePassword',
    summary: 'Change the password',
    description:
      "Changes the account's password. All other sessions end, this session gets new tokens, and the account gets an email. A wrong current password returns 401 with `field` set to `current_password`.",
    examples: {
      passwords: {
        summary: 'Current and new password',
        value: { current_password: 'Analytical-Engine-1', password: 'Difference-Engine-2' },
      },
    },
  })
  @ApiOkResponse({
    type: MessageResponse,
    description: 'The password is changed',
    headers: answerHeaders('Set-Cookie'),
  })
  changePassword(
    @Body() body: ChangePasswordDto,
    @CurrentPrincipal() principal: Principal,
    @CurrentOrigin() origin: SignInOrigin,
  ): Promise<SessionAnswer<MessageResponse>> {
    return this.service.changePassword(principal, body, origin);
  }

  @Post('set-password')
  @UseGuards(PasswordSignInGuard)
  @Access.account({ scopes: ['admin:all'] })
  @RateLimit('auth.set-password')
  @Operation({
    id: 'setPassword',
    summary: 'Set the first password',
    description:
      'For accounts that sign in through a provider and have no password. The account gets an email.',
    examples: {
      password: { summary: 'A password', value: { password: 'Analytical-Engine-1' } },
    },
  })
  @Returns(200, MessageResponse, 'The password is set', 403)
  setPassword(
    @Body() body: NewPasswordDto,
    @CurrentPrincipal() principal: Principal,
    @CurrentClient() client: Client,
  ) {
    return this.service.setPassword(principal, body, client);
  }
}
