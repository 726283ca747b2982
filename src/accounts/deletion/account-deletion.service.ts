import { Injectable } from '@nestjs/common';
import type { AuditActor } from '../../audit-trail/audit-entry';
import { AuditTrailService } from '../../audit-trail/audit-trail.service';
import { isDuplicateKey } from '../../common/database-fault';
import type { Job } from '../../infrastructure/jobs/job';
import { JobStarter } from '../../infrastructure/jobs/job-starter';
import { JobsRepository } from '../../infrastructure/jobs/jobs.repository';
import { isGoing } from '../account/account';
import { readEmail } from '../account/account-email';
import {
  OtherEmailError,
  SelfDeletionError,
  UnknownAccountError,
} from '../account/accounts.errors';
import { AccountsRepository } from '../account/accounts.repository';
import { AdminsService } from '../admin-role/admins.service';
import { SessionsRepository } from '../sessions/sessions.repository';
import { ClosedAccounts } from '../closing/closed-accounts';

export interface BegunDeletion {
  readonly deletesAt: Date;
  /** The job's id is the account's id. */
  readonly job: Job;
}

/** Starts account deletions, which a job performs (docs/contract.md#24.12). */
@Injectable()
export class AccountDeletionService {
  constructor(
    private readonly accounts: AccountsRepository,
    private readonly admins: AdminsService,
    private readonly sessions: SessionsRepository,
    private readonly closed: ClosedAccounts,
    private readonly trail: AuditTrailService,
    private readonly jobs: JobsRepository,
    private readonly starter: JobStarter,
  ) {}

  /**
   * Closes the account immediately. Returns the existing job if the deletion has begun.
   * @param email typed by the caller as confirmation
   * @throws UnknownAccountError, OtherEmailError, SelfDeletionError, LastAdminError
   */
  async begin(
    id: string,
    { email, reason }: { readonly email: string; readonly reason: string },
    actor: AuditActor,
  ): Promise<BegunDeletion> {
    if (actor.id === id) throw new SelfDeletionError();
    const deletesAt = new Date();
    const { wasGoing, after } = await this.admins.keepingAnAdmin(id, async (account) => {
      if (readEmail(email) !== account.email) throw new OtherEmailError();
      if (isGoing(account)) return { wasGoing: true, after: account };
      return { wasGoing: false, after: await this.accounts.noteDeletion(id, deletesAt) };
    });
    if (after === null) throw new UnknownAccountError();
    await this.sessions.removeByAccount(id);
    await this.closed.announceChange();
    await this.starter.cancelForAccount(id);
    if (!wasGoing) {
      await this.trail.add({
        actor,
        act: 'account.delete',
        subject: { kind: 'account', id },
        reason,
        before: { deletes_at: null },
        after: { deletes_at: deletesAt.toISOString() },
      });
    }
    return { deletesAt: after.deletesAt ?? deletesAt, job: await this.beginJob(id) };
  }

  /** Returns the account's active deletion job, or starts one. */
  private async beginJob(id: string): Promise<Job> {
    try {
      return await this.starter.begin({ id, kind: 'account_deletion', ownerId: id, input: null });
    } catch (error) {
      if (!isDuplicateKey(error)) throw error;
    }
    await this.starter.restart(id, null);
    const job = await this.jobs.findById(id);
    if (job === null) throw new UnknownAccountError();
    return job;
  }
}
