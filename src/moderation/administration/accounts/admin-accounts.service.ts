import { Injectable } from '@nestjs/common';
import { type Account, isGoing, type Role } from '../../../accounts/account/account';
import {
  DeletionBegunError,
  MailNotSentError,
  UnknownAccountError,
} from '../../../accounts/account/accounts.errors';
import { AccountsRepository } from '../../../accounts/account/accounts.repository';
import { OneTimeCodesService } from '../../../accounts/codes/one-time-codes.service';
import { AdminsService } from '../../../accounts/admin-role/admins.service';
import { AccountMailsService } from '../../../accounts/mails/account-mails.service';
import { AccountDeletionService } from '../../../accounts/deletion/account-deletion.service';
import { SessionsRepository } from '../../../accounts/sessions/sessions.repository';
import { SuspensionService } from '../../../accounts/suspension/suspension.service';
import type { AuditAct, AuditActor } from '../../../audit-trail/audit-entry';
import { SiteOptions } from '../../../config/options';
import { AuditTrailService } from '../../../audit-trail/audit-trail.service';
import { unixSeconds } from '../../../common/time';
import { toJobResponse } from '../../../jobs/job.response';
import { AccountSearchService } from './account-search.service';
import type { AccountDeletionResponse, AdminAccountResponse } from './admin-account.response';
import type { DeleteAccountDto } from './admin-accounts.dto';
import { NoResetError } from '../action/administration.errors';

@Injectable()
export class AdminAccountsService {
  constructor(
    private readonly accounts: AccountsRepository,
    private readonly shown: AccountSearchService,
    private readonly suspension: SuspensionService,
    private readonly deletion: AccountDeletionService,
    private readonly admins: AdminsService,
    private readonly sessions: SessionsRepository,
    private readonly codes: OneTimeCodesService,
    private readonly mails: AccountMailsService,
    private readonly trail: AuditTrailService,
    private readonly site: SiteOptions,
  ) {}

  async suspend(id: string, reason: string, actor: AuditActor): Promise<AdminAccountResponse> {
    await this.find(id);
    return this.shown.toResponse(await this.suspension.suspend(id, reason, actor));
  }

  async unsuspend(
    id: string,
    reason: string | null,
    actor: AuditActor,
  ): Promise<AdminAccountResponse> {
    await this.find(id);
    return this.shown.toResponse(await this.suspension.unsuspend(id, reason, actor));
  }

  async setRole(id: string, role: Role, actor: AuditActor): Promise<AdminAccountResponse> {
    await this.find(id);
    return this.shown.toResponse(await this.admins.setRole(id, role, actor));
  }

  async endSessions(id: string, actor: AuditActor): Promise<AdminAccountResponse> {
    const account = await this.find(id);
    const ended = await this.sessions.removeByAccount(id);
    if (ended > 0) await this.note('account.end_sessions', id, ended, actor);
    return this.shown.toResponse(account);
  }

  /** Ends all sessions and emails the owner a reset code. */
  async resetPassword(id: string, actor: AuditActor): Promise<AdminAccountResponse> {
    const account = await this.findResettable(id);
    await this.endForReset(id, actor);
    if (!(await this.mails.sendReset(account))) throw new MailNotSentError();
    return this.shown.toResponse(account);
  }

  /** Ends all sessions and returns a reset code that an admin can pass on. */
  async issueReset(
    id: string,
    actor: AuditActor,
  ): Promise<{ account: AdminAccountResponse; code: string }> {
    const account = await this.findResettable(id);
    const code = await this.codes.issue(id, 'reset');
    await this.endForReset(id, actor);
    return { account: await this.shown.toResponse(account), code };
  }

  private async findResettable(id: string): Promise<Account> {
    const account = await this.find(id);
    if (!this.site.passwordSignIn) {
      throw new NoResetError('PASSWORD_SIGN_IN is false: use `curtail admin sign-in-link`');
    }
    if (account.suspended !== null) throw new NoResetError('The account is suspended');
    if (account.passwordHash === null) throw new NoResetError('The account has no password');
    return account;
  }

  private async endForReset(id: string, actor: AuditActor): Promise<void> {
    const ended = await this.sessions.removeByAccount(id);
    await this.note('account.password_reset', id, ended, actor);
  }

  async remove(
    id: string,
    body: DeleteAccountDto,
    actor: AuditActor,
  ): Promise<AccountDeletionResponse> {
    const { deletesAt, job } = await this.deletion.begin(id, body, actor);
    return { deletes_at: unixSeconds(deletesAt), job: toJobResponse(job) };
  }

  private async find(id: string): Promise<Account> {
    const account = await this.accounts.findById(id);
    if (account === null) throw new UnknownAccountError();
    if (isGoing(account)) throw new DeletionBegunError();
    return account;
  }

  private async note(act: AuditAct, id: string, ended: number, actor: AuditActor): Promise<void> {
    await this.trail.add({
      actor,
      act,
      subject: { kind: 'account', id },
      before: { sessions: ended },
      after: { sessions: 0 },
    });
  }
}
