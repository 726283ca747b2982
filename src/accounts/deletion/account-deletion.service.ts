import { createHash } from 'node:crypto';
import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import type { AuditActor } from '../../audit-trail/audit-entry';
import { AuditTrailService } from '../../audit-trail/audit-trail.service';
import { isDuplicateKey } from '../../common/database-fault';
import type { Job } from '../../infrastructure/jobs/job';
import { JobStarter } from '../../infrastructure/jobs/job-starter';
import { JobsRepository } from '../../infrastructure/jobs/jobs.repository';
import { DomainRegistry } from '../../stores/domains/domain-registry';
import { DomainsRepository } from '../../stores/domains/domains.repository';
import type { Client } from '../../infrastructure/client-address/client-address';
import type { Principal } from '../../auth/access';
import { BackgroundTasks } from '../../common/background-tasks';
import { DAY_MS, unixSeconds } from '../../common/time';
import { type Account, heldAddresses, isGoing, isLeaving, readEmail } from '../account/account';
import {
  AccountGoneError,
  AddressHeldError,
  CodeMissingError,
  DeletionBegunError,
  NotLeavingError,
  OtherEmailError,
  SelfDeletionError,
  UnknownAccountError,
} from '../account/accounts.errors';
import { AccountsRepository } from '../account/accounts.repository';
import { AdminsService } from '../admin-role/admins.service';
import { SessionsRepository } from '../sessions/sessions.repository';
import { ClosedAccounts } from '../closing/closed-accounts';
import {
  type OwnDeletionResponse,
  type ProfileResponse,
  toUserResponse,
} from '../account/account.response';
import { DeleteOwnAccountDto } from '../account/accounts.dto';
import { AccountMailsService } from '../mails/account-mails.service';
import { SessionAnswer, type SignInOrigin } from '../sessions/session';
import { AccountsService } from '../sign-in/accounts.service';
import { OwnerProofService } from '../sign-in/owner-proof.service';

/** After this time, another process begins the job in place of the request. */
const BEGINNING_MS = 15_000;
const DUE_PER_READ = 200;

type NotedDeletion = Pick<Account, 'deletesAt' | 'deletion' | 'id'>;

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
    const account = await this.admins.keepingAnAdmin(id, async (current) => {
      if (readEmail(email) !== current.email) throw new OtherEmailError();
      if (isGoing(current)) return current;
      const { deletesAt: before } = current;
      return this.accounts.noteDeletion(id, now, { actor, reason, before });
    });
    if (account === null) throw new UnknownAccountError();
    return { deletesAt: account.deletesAt ?? now, job: await this.beginNoted(account) };
  }

  /** Begins the deletion that is stored in the account. Its time must have come. */
  async beginNoted({ id, deletesAt, deletion }: NotedDeletion): Promise<Job> {
    const after = { deletes_at: deletesAt?.toISOString() ?? null };
    const { actor, reason } = deletion ?? { actor: { id, via: 'app' }, reason: null };
    const before = deletion && { deletes_at: deletion.before?.toISOString() ?? null };
    await this.close(id);
    await this.trail.add({
      id: trailId(id, after.deletes_at),
      actor,
      act: 'account.delete',
      subject: { kind: 'account', id },
      reason,
      before: before ?? after,
      after,
    });
    return this.beginJob(id);
  }

  /** Begins deletions that are due, including those that a stopped process did not begin. */
  async beginDue(now: Date): Promise<void> {
    const by = new Date(now.getTime() - BEGINNING_MS);
    for (let after: string | null = null; ;) {
      const ids: string[] = await this.accounts.findDue(by, after, DUE_PER_READ);
      const begun = await this.jobs.findByIds(ids);
      for (const id of ids.filter((each) => !begun.has(each))) {
        const account = await this.accounts.findById(id);
        if (account !== null && isGoing(account)) await this.beginNoted(account);
      }
      after = ids.at(-1) ?? null;
      if (ids.length < DUE_PER_READ) return;
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

/** Derived from the deletion, so that a repeated attempt does not add another trail entry. */
function trailId(id: string, deletesAt: string | null): string {
  const text = `account.delete:${id}:${deletesAt ?? ''}`;
  return createHash('sha256').update(text).digest('hex').slice(0, 24);
}

export const GRACE_DAYS = 7;
const DUE_LOOK_MS = 30_000;
const FIRST_DUE_LOOK_MS = 1000;

/** Deletion by the owner, who can restore the account for seven days (docs/contract.md#23.1). */
@Injectable()
export class OwnDeletionService implements OnApplicationBootstrap {
  constructor(
    private readonly accounts: AccountsService,
    private readonly repository: AccountsRepository,
    private readonly admins: AdminsService,
    private readonly proof: OwnerProofService,
    private readonly deletion: AccountDeletionService,
    private readonly closed: ClosedAccounts,
    private readonly mails: AccountMailsService,
    private readonly background: BackgroundTasks,
  ) {}

  onApplicationBootstrap(): void {
    const run = (): Promise<void> => this.deletion.beginDue(new Date());
    const task = { name: 'begin due account deletions', everyMs: DUE_LOOK_MS, run };
    this.background.repeat(task, FIRST_DUE_LOOK_MS);
  }

  /** @throws CodeMissingError, NoPasswordError, PasswordWrongError, CodeRefusedError, LastAdminError */
  async leave(
    principal: Principal,
    body: DeleteOwnAccountDto,
    origin: SignInOrigin,
  ): Promise<OwnDeletionResponse | SessionAnswer<OwnDeletionResponse>> {
    const account = await this.accounts.demand(principal);
    if (body.now === true && body.code === undefined) throw new CodeMissingError();
    if (body.now === true && heldAddresses(account).length > 0) throw new AddressHeldError();
    await this.proof.demand(account, body, 'deletion', origin);
    const after = await this.admins.keepingAnAdmin(account.id, (current) =>
      this.noteLeaving(current, body, new Date()),
    );
    const { deletesAt } = after;
    await this.closed.announceChange();
    if (body.now === true) {
      await this.deletion.beginNoted(after);
      return new SessionAnswer({ deletes_at: unixSeconds(deletesAt) }, null);
    }
    if (account.deletesAt === null) {
      this.mails.notify(account.id, { what: 'deletion requested', at: deletesAt }, origin.client);
    }
    return { deletes_at: unixSeconds(deletesAt) };
  }

  /** @throws NotLeavingError */
  async restore(principal: Principal, client: Client): Promise<ProfileResponse> {
    const { id } = await this.accounts.demand(principal);
    const restored = await this.repository.restore(id, new Date());
    if (restored === null) throw new NotLeavingError();
    await this.closed.announceChange();
    this.mails.notify(id, { what: 'deletion cancelled' }, client);
    return { user: toUserResponse(restored) };
  }

  private async noteLeaving(
    current: Account,
    { now, code, close_links: closesLinks = false }: DeleteOwnAccountDto,
    at: Date,
  ): Promise<Account & { readonly deletesAt: Date }> {
    if (isGoing(current)) throw new DeletionBegunError();
    const deletesAt = now === true ? at : deletionTime(current, at);
    await this.proof.useUp(current.id, 'deletion', code);
    const after = await this.repository.leave(current.id, deletesAt, closesLinks);
    if (after === null) throw new AccountGoneError();
    return { ...after, deletesAt };
  }
}

/** A repeated request does not prolong the period. */
function deletionTime(account: Account, at: Date): Date {
  const { deletesAt } = account;
  if (deletesAt !== null && isLeaving(account)) return deletesAt;
  return new Date(at.getTime() + GRACE_DAYS * DAY_MS);
}
