import {
  Body,
  Controller,
  Get,
  HttpCode,
  Post,
  Query,
  Redirect,
  UseFilters,
  UseGuards,
  UseInterceptors,
} from '@nestjs/common';
import { ApiExcludeController, ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { CodeSentResponse, SignedInResponse } from '../../accounts/account/account.response';
import { ChangeEmailDto, VerifyEmailDto } from '../../accounts/account/accounts.dto';
import { UndoEmailFormDto } from '../../accounts/pages/account-forms.dto';
import { AccountPageFilter } from '../../accounts/pages/account-page.filter';
import { undoEmailPage } from '../../accounts/pages/code-pages';
import { OwnFormGuard } from '../../accounts/pages/own-form.guard';
import { KeepsTypedEmail, type Onward } from '../../accounts/pages/account-pages.service';
import { LOGIN_LIMITS } from '../../accounts/sessions/login-throttle';
import { SessionAnswer, type SignInOrigin } from '../../accounts/sessions/session';
import { CurrentOrigin, SessionCookies } from '../../accounts/sessions/session-cookies';
import { Access, CurrentClient, CurrentPrincipal, type Principal } from '../../auth/access';
import { AlsoLimited, RateLimit } from '../../auth/rate-limit/rate-limits';
import { ApiErrors, Operation, Returns } from '../../common/http/route.decorators';
import { type HttpResult, SendsResult } from '../../common/http/http-result';
import { TakesForms } from '../../common/http/taken-body';
import { answerHeaders } from '../../common/openapi/answer-headers';
import { Client } from '../../infrastructure/client-address/client-address';
import { MAILBOX_LIMIT_TEXT } from '../../infrastructure/mail/mail-sender';
import { EmailChangeService } from './email-change.service';

@ApiTags('Accounts')
@Controller('auth/me/email')
@Access.session({ verified: false })
@UseInterceptors(SessionCookies)
export class EmailChangeController {
  constructor(private readonly service: EmailChangeService) {}

  @Post()
  @RateLimit('auth.change-email')
  @AlsoLimited(LOGIN_LIMITS)
  @Operation({
    id: 'requestEmailChange',
    summary: 'Change the email address',
    description: `Emails a code to the new address. The response is the same if another account has it. ${MAILBOX_LIMIT_TEXT}`,
    examples: {
      change: {
        summary: 'New address and password',
        value: { email: 'ada@example.org', password: 'Analytical-Engine-1' },
      },
    },
  })
  @Returns(202, CodeSentResponse, 'A code is on its way', 400)
  request(
    @Body() body: ChangeEmailDto,
    @CurrentPrincipal() principal: Principal,
    @CurrentOrigin() origin: SignInOrigin,
  ) {
    return this.service.request(principal, body, origin);
  }

  @Post('confirm')
  @HttpCode(200)
  @RateLimit('auth.confirm-email')
  @Operation({
    id: 'confirmEmailChange',
    summary: 'Confirm the new email address',
    description:
      'Checks the code from the new address. All other sessions end, and this session gets new tokens. The old address gets a link that can undo the change for seven days.',
    examples: { code: { summary: 'The six digits', value: { code: '123456' } } },
  })
  @ApiOkResponse({
    type: SignedInResponse,
    description: 'The address is changed',
    headers: answerHeaders('Set-Cookie'),
  })
  @ApiErrors(400, 409, 503)
  confirm(
    @Body() { code }: VerifyEmailDto,
    @CurrentPrincipal() principal: Principal,
    @CurrentOrigin() origin: SignInOrigin,
  ): Promise<SessionAnswer<SignedInResponse>> {
    return this.service.confirm(principal, code, origin);
  }
}

@ApiExcludeController()
@Controller('login/undo-email')
@Access.page({ liveSession: true, whileLeaving: true })
@TakesForms()
@UseGuards(OwnFormGuard)
@UseFilters(AccountPageFilter)
@UseInterceptors(KeepsTypedEmail)
export class UndoEmailPageController {
  constructor(private readonly service: EmailChangeService) {}

  @Get()
  @SendsResult()
  @RateLimit.none()
  show(@Query('token') token: unknown): HttpResult {
    return { kind: 'page', markup: undoEmailPage(typeof token === 'string' ? token : '') };
  }

  @Post()
  @Redirect()
  @RateLimit('auth.undo-email')
  undo(@Body() { token }: UndoEmailFormDto, @CurrentClient() client: Client): Promise<Onward> {
    return this.service.undo(token, client);
  }
}
