import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { AuditActor } from '../../audit-trail/audit-entry';
import { AuditTrailService } from '../../audit-trail/audit-trail.service';
import { isDuplicateKey } from '../../common/database-fault';
import type { Job } from '../../infrastructure/jobs/job';
import { JobStarter } from '../../infrastructure/jobs/job-starter';
import { JobsRepository } from '../../infrastructure/jobs/jobs.repository';
import { DomainRegistry } from '../../stores/domains/domain-registry';
import { DomainsRepository } from '../../stores/domains/domains.repository';
import { type Account, isGoing } from '../account/account';
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

/** Time for the request that closed an account to begin the job, before another process does. */
const BEGINNING_MS = 15_000;
/** Number of accounts without a job per look; a finished job's account no longer exists. */
const MAX_DUE = 200;

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
    private readonly domains: DomainsRepository,
    private readonly registry: DomainRegistry,
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
    const now = new Date();
    const { before, after } = await this.admins.keepingAnAdmin(id, async (account) => {
      if (readEmail(email) !== account.email) throw new OtherEmailError();
      if (isGoing(account)) return { before: null, after: account };
      return { before: account, after: await this.accounts.noteDeletion(id, now) };
    });
    if (after === null) throw new UnknownAccountError();
    const deletesAt = after.deletesAt ?? now;
    await this.close(id);
    if (before !== null) {
      await this.trail.add({
        id: trailId(id, deletesAt),
        actor,
        act: 'account.delete',
        subject: { kind: 'account', id },
        reason,
        before: { deletes_at: before.deletesAt?.toISOString() ?? null },
        after: { deletes_at: deletesAt.toISOString() },
      });
    }
    return { deletesAt, job: await this.beginJob(id) };
  }

  /** Begins the deletion of an account whose owner requested it, once its time has come. */
  async beginOwn({ id, deletesAt }: Pick<Account, 'id' | 'deletesAt'>): Promise<void> {
    if (deletesAt === null) return;
    await this.close(id);
    const time = deletesAt.toISOString();
    await this.trail.add({
      id: trailId(id, deletesAt),
      actor: { id, via: 'app' },
      act: 'account.delete',
      subject: { kind: 'account', id },
      before: { deletes_at: time },
      after: { deletes_at: time },
    });
    await this.beginJob(id);
  }

  /** Begins deletions that are due, including those that a stopped process did not begin. */
  async beginDue(now: Date): Promise<void> {
    const ids = await this.accounts.findDue(new Date(now.getTime() - BEGINNING_MS), MAX_DUE);
    const begun = await this.jobs.findByIds(ids);
    for (const id of ids.filter((each) => !begun.has(each))) {
      const account = await this.accounts.findById(id);
      if (account !== null && isGoing(account)) await this.beginOwn(account);
    }
  }

  private async close(id: string): Promise<void> {
    await this.sessions.removeByAccount(id);
    await this.closed.announceChange();
    for (const domain of await this.domains.unshareByAccount(id, new Date()))
      await this.registry.tellChange(domain);
    await this.starter.cancelForAccount(id);
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

/** Derived from the deletion, so that a repeated attempt adds no second entry to the trail. */
function trailId(id: string, deletesAt: Date): string {
  const text = `account.delete:${id}:${deletesAt.getTime()}`;
  return createHash('sha256').update(text).digest('hex').slice(0, 24);
}
