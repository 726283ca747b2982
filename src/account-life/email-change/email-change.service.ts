import { createHash, randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { isGoing } from '../../accounts/account/account';
import { hashAccountPassword } from '../../accounts/account/account-password';
import {
  type CodeSentResponse,
  type SignedInResponse,
  toUserResponse,
} from '../../accounts/account/account.response';
import { ChangeEmailDto } from '../../accounts/account/accounts.dto';
import {
  CodeRefusedError,
  EmailTakenError,
  MailUnavailableError,
  OwnEmailError,
  SessionEndedError,
  UndoRefusedError,
} from '../../accounts/account/accounts.errors';
import { AccountsRepository } from '../../accounts/account/accounts.repository';
import { AdminsService } from '../../accounts/admin-role/admins.service';
import { ClosedAccounts } from '../../accounts/closing/closed-accounts';
import { CODE_SECONDS } from '../../accounts/codes/code.schema';
import { OneTimeCodesService } from '../../accounts/codes/one-time-codes.service';
import { AccountMailsService } from '../../accounts/mails/account-mails.service';
import { onward, type Onward, OnwardWithEmail } from '../../accounts/pages/account-pages.service';
import { SessionAnswer, type SignInOrigin } from '../../accounts/sessions/session';
import { SessionsService } from '../../accounts/sessions/sessions.service';
import { AccountsService, RegistrationPolicy } from '../../accounts/sign-in/accounts.service';
import { OwnerProofService } from '../../accounts/sign-in/owner-proof.service';
import { ApiKeysRepository } from '../../api-keys/api-keys.repository';
import type { Principal } from '../../auth/access';
import { BackgroundTasks } from '../../common/background-tasks';
import { SiteOptions } from '../../config/options';
import type { Client } from '../../infrastructure/client-address/client-address';
import { changeAddress, undoChange } from '../../accounts/email-change/addresses.rules';
import { EmailChangesRepository } from '../../accounts/email-change/email-changes.repository';

/** Changes an account's address; the old address can undo it for a week (docs/contract.md#23.3). */
@Injectable()
export class EmailChangeService {
  constructor(
    private readonly accounts: AccountsService,
    private readonly repository: AccountsRepository,
    private readonly changes: EmailChangesRepository,
    private readonly registration: RegistrationPolicy,
    private readonly proof: OwnerProofService,
    private readonly codes: OneTimeCodesService,
    private readonly mails: AccountMailsService,
    private readonly sessions: SessionsService,
    private readonly admins: AdminsService,
    private readonly keys: ApiKeysRepository,
    private readonly closed: ClosedAccounts,
    private readonly background: BackgroundTasks,
    private readonly site: SiteOptions,
  ) {}

  /** Looks up the address after the response, so that the response reveals no other account. */
  async request(
    principal: Principal,
    { email, ...proof }: ChangeEmailDto,
    origin: SignInOrigin,
  ): Promise<CodeSentResponse> {
    const account = await this.accounts.demand(principal);
    if (email === account.email) throw new OwnEmailError();
    this.registration.demandDomain(email);
    await this.proof.demand(account, proof, 'email', origin);
    await this.proof.useUp(account.id, 'email', proof.code);
    // Invalidates the code for an earlier address, even if no email can be sent to the new one.
    await this.codes.issueUnknowable(account.id, 'new_email', email);
    this.background.run('code for a new email address', async () => {
      if (!(await this.repository.isTaken(email, account.id, new Date()))) {
        await this.mails.sendNewEmailCode(account.id, email);
        return;
      }
      await this.mails.warnOfTakenEmail(email);
    });
    const message = 'If the address can be used, a code has been sent to it';
    return { success: true, message, expires_in: CODE_SECONDS };
  }

  /** @throws CodeRefusedError, EmailTakenError, MailUnavailableError */
  async confirm(
    principal: Principal,
    code: string,
    origin: SignInOrigin,
  ): Promise<SessionAnswer<SignedInResponse>> {
    const account = await this.accounts.demand(principal);
    const { id } = account;
    await this.proof.demandCode(id, 'new_email', code, origin);
    const email = await this.codes.addressOf(id, 'new_email');
    if (email === null) throw new CodeRefusedError();
    if (principal.sessionId === null) throw new SessionEndedError();
    if (await this.repository.isTaken(email, id, new Date())) throw new EmailTakenError();
    const token = account.emailVerified ? randomBytes(32).toString('base64url') : null;
    if (token !== null && !(await this.mails.sendEmailChanged(account, token, origin.client))) {
      throw new MailUnavailableError();
    }
    await this.proof.useUp(id, 'new_email', code);
    const undo = token === null ? null : undoDigest(token);
    const changed = await this.changes.change(
      account,
      changeAddress(account, email, undo, new Date()),
    );
    await this.codes.removeAll(id);
    const user = toUserResponse(await this.admins.grantIfListed(changed));
    const session = await this.sessions.keepOnly(principal.sessionId, changed, origin);
    return new SessionAnswer({ access_token: session.accessToken, user }, session);
  }

  /** Locks out a person who took over the account. @throws UndoRefusedError */
  async undo(token: string, client: Client): Promise<Onward> {
    const undo = undoDigest(token);
    const account = await this.changes.findByUndo(undo);
    if (account === null || account.suspended !== null || isGoing(account)) {
      throw new UndoRefusedError();
    }
    const addresses = undoChange(account, undo, new Date());
    if (addresses === null) throw new UndoRefusedError();
    const { id } = account;
    // An account without a provider needs a password that it can request a reset code for.
    const hasProvider = account.identities.some(({ linkedAt }) => linkedAt <= addresses.changedAt);
    const unknown =
      account.passwordHash === null && hasProvider
        ? null
        : await hashAccountPassword(randomBytes(32).toString('base64'), client);
    // Runs before the change, which invalidates the link. After a crash, the owner can try again.
    await this.removeAccess(id, addresses.changedAt);
    const restored = await this.changes.undo(account, addresses, unknown);
    await this.sessions.endAllSessions(id);
    await this.removeAccess(id, addresses.changedAt);
    await this.closed.announceChange();
    this.mails.tellOfUndoneChange(account.email, client);
    if (!this.site.passwordSignIn) return onward('/login?done=email-restored');
    await this.mails.sendReset(restored);
    return new OnwardWithEmail('/login/reset-password?done=email-restored', restored.email);
  }

  private async removeAccess(id: string, since: Date): Promise<void> {
    await this.keys.removeCreatedSince(id, since);
    await this.codes.removeAll(id);
    await this.codes.unlock(id);
  }
}

function undoDigest(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}
