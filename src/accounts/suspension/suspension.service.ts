import { Injectable } from '@nestjs/common';
import type { AuditActor } from '../../audit-trail/audit-entry';
import { AuditTrailService } from '../../audit-trail/audit-trail.service';
import { JobStarter } from '../../infrastructure/jobs/job-starter';
import type { Account } from '../account/account';
import { SelfSuspensionError, UnknownAccountError } from '../account/accounts.errors';
import { AccountsRepository } from '../account/accounts.repository';
import { AdminsService } from '../admin-role/admins.service';
import { AccountMailsService } from '../mails/account-mails.service';
import { SessionsRepository } from '../sessions/sessions.repository';
import { ClosedAccounts } from '../closing/closed-accounts';

@Injectable()
export class SuspensionService {
  constructor(
    private readonly accounts: AccountsRepository,
    private readonly admins: AdminsService,
    private readonly sessions: SessionsRepository,
    private readonly suspended: ClosedAccounts,
    private readonly trail: AuditTrailService,
    private readonly mails: AccountMailsService,
    private readonly jobs: JobStarter,
  ) {}

  /** @throws UnknownAccountError, SelfSuspensionError, LastAdminError */
  async suspend(id: string, reason: string, actor: AuditActor): Promise<Account> {
    if (actor.id === id) throw new SelfSuspensionError();
    const { before, after } = await this.admins.keepingAnAdmin(id, async (account) => {
      if (account.suspended?.reason === reason) return { before: account, after: account };
      const at = account.suspended?.at ?? new Date();
      const suspension = { at, by: actor.id, reason };
      return { before: account, after: await this.accounts.suspend(id, suspension) };
    });
    if (after === null) throw new UnknownAccountError();
    // Runs again for suspended accounts, because an earlier attempt may have failed here.
    await this.sessions.removeByAccount(id);
    await this.suspended.announceChange();
    await this.jobs.cancelForAccount(id);
    const wasSuspended = before.suspended !== null;
    if (before === after) return after;
    await this.trail.add({
      actor,
      act: 'account.suspend',
      subject: { kind: 'account', id },
      reason,
      before: { suspended: wasSuspended },
      after: { suspended: true },
    });
    if (!wasSuspended) this.mails.tellOfSuspension(after.email, reason);
    return after;
  }

  async unsuspend(id: string, reason: string | null, actor: AuditActor): Promise<Account> {
    const ended = await this.accounts.endSuspension(id);
    await this.suspended.announceChange();
    if (ended !== null) {
      await this.trail.add({
        actor,
        act: 'account.unsuspend',
        subject: { kind: 'account', id },
        reason,
        before: { suspended: true },
        after: { suspended: false },
      });
      this.mails.tellOfSuspension(ended.email, null);
      return ended;
    }
    const account = await this.accounts.findById(id);
    if (account === null) throw new UnknownAccountError();
    return account;
  }
}
