import { Body, Controller, Delete, HttpCode, Post, UseInterceptors } from '@nestjs/common';
import { ApiAcceptedResponse, ApiTags } from '@nestjs/swagger';
import { Access, CurrentClient, CurrentPrincipal, type Principal } from '../../auth/access';
import { AlsoLimited, RateLimit } from '../../auth/rate-limit/rate-limits';
import { ApiErrors, Operation, Returns } from '../../common/http/route.decorators';
import { Client } from '../../infrastructure/client-address/client-address';
import { MAILBOX_LIMIT_TEXT } from '../../infrastructure/mail/mail-sender';
import {
  CodeSentResponse,
  OwnDeletionResponse,
  ProfileResponse,
} from '../account/account.response';
import { DeleteOwnAccountDto, ProofCodeDto } from '../account/accounts.dto';
import { LOGIN_LIMITS } from '../sessions/login-throttle';
import { SessionAnswer, type SignInOrigin } from '../sessions/session';
import { CurrentOrigin, SessionCookies } from '../sessions/session-cookies';
import { OwnerProofService } from '../sign-in/owner-proof.service';
import { GRACE_DAYS, OwnDeletionService } from './account-deletion.service';

const DELETION = `Deletes the account in ${GRACE_DAYS} days. Until then, its API keys are rejected, and it can only be read and restored. With \`now\`, the deletion starts immediately and both cookies are cleared. Everything sent as a proof must be correct. A repeated request replaces \`close_links\`; only \`now\` changes the time.`;
const DELETION_EXAMPLES = {
  password: {
    summary: 'In seven days, with links closed now',
    value: { password: 'Analytical-Engine-1', close_links: true },
  },
  now: { summary: 'Immediately', value: { code: '123456', now: true } },
};
const DELETION_ANSWER = {
  type: OwnDeletionResponse,
  description: 'The account is going to be deleted',
};

@ApiTags('Accounts')
@Controller('auth/me')
@Access.session({ verified: false, whileLeaving: true })
@UseInterceptors(SessionCookies)
export class OwnDeletionController {
  constructor(
    private readonly service: OwnDeletionService,
    private readonly proof: OwnerProofService,
  ) {}

  @Post('code')
  @RateLimit('auth.proof-code')
  @Operation({
    id: 'sendProofCode',
    summary: 'Send a code that confirms an action',
    description: `Emails a six-digit code to the account's address, as an alternative to the password. Earlier codes for the same action become invalid. ${MAILBOX_LIMIT_TEXT}`,
    examples: { deletion: { summary: 'To delete the account', value: { purpose: 'deletion' } } },
  })
  @Returns(200, CodeSentResponse, 'The code is on its way, or codes are suspended', 500)
  sendCode(@Body() { purpose }: ProofCodeDto, @CurrentPrincipal() principal: Principal) {
    return this.proof.sendCode(principal, purpose);
  }

  @Delete()
  @HttpCode(202)
  @RateLimit('auth.delete')
  @AlsoLimited(LOGIN_LIMITS)
  @Operation({
    id: 'deleteAccount',
    summary: 'Delete your account',
    description: DELETION,
    examples: DELETION_EXAMPLES,
  })
  @ApiAcceptedResponse(DELETION_ANSWER)
  @ApiErrors(400, 409)
  remove(
    @Body() body: DeleteOwnAccountDto,
    @CurrentPrincipal() principal: Principal,
    @CurrentOrigin() origin: SignInOrigin,
  ): Promise<OwnDeletionResponse | SessionAnswer<OwnDeletionResponse>> {
    return this.service.leave(principal, body, origin);
  }

  @Post('delete')
  @HttpCode(202)
  @RateLimit('auth.delete')
  @AlsoLimited(LOGIN_LIMITS)
  @Operation({
    id: 'deleteAccountByPost',
    summary: 'Delete your account without a DELETE body',
    description: DELETION,
    examples: DELETION_EXAMPLES,
  })
  @ApiAcceptedResponse(DELETION_ANSWER)
  @ApiErrors(400, 409)
  removeByPost(
    @Body() body: DeleteOwnAccountDto,
    @CurrentPrincipal() principal: Principal,
    @CurrentOrigin() origin: SignInOrigin,
  ): Promise<OwnDeletionResponse | SessionAnswer<OwnDeletionResponse>> {
    return this.service.leave(principal, body, origin);
  }

  @Post('restore')
  @RateLimit('auth.restore')
  @Operation({
    id: 'restoreAccount',
    summary: 'Keep your account',
    description: 'Cancels a requested deletion. API keys and links work again within a second.',
  })
  @Returns(200, ProfileResponse, 'The account', 409)
  restore(@CurrentPrincipal() principal: Principal, @CurrentClient() client: Client) {
    return this.service.restore(principal, client);
  }
}
