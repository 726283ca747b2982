import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import type { AuditActor } from '../../audit-trail/audit-entry';
import { AuditTrailService } from '../../audit-trail/audit-trail.service';
import { AppLog } from '../../common/log';
import { AdministrationOptions } from '../../config/options';
import { DatabaseLeases } from '../../infrastructure/mongo/database-leases.repository';
import { type Account, isAdmin, readEmail, type Role } from '../account/account';
import {
  AdminsBusyError,
  LastAdminError,
  RoleHeldError,
  UnknownAccountError,
  UnverifiedAdminError,
} from '../account/accounts.errors';
import { AccountsRepository, type NewAccount } from '../account/accounts.repository';

const ADMINS_LOCK = 'admins_lock';
/** A change that has not begun within half this time is abandoned. */
const ADMIN_LOCK_MS = 30_000;
const LOCK_TRY_MS = 20;
const LOCK_PATIENCE_MS = 5000;
const BY_LIST: AuditActor = { id: null, via: 'start' };
const BY_SETUP: AuditActor = { id: null, via: 'setup' };

@Injectable()
export class AdminsService {
  private readonly listed: ReadonlySet<string>;

  constructor(
    private readonly accounts: AccountsRepository,
    private readonly leases: DatabaseLeases,
    private readonly trail: AuditTrailService,
    private readonly log: AppLog,
    { adminEmails }: AdministrationOptions,
  ) {
    this.listed = new Set(adminEmails.map((text) => readEmail(text) ?? text));
  }

  async grantAllListed(): Promise<void> {
    for (const email of this.listed) {
      const account = await this.accounts.findByEmail(email);
      if (account !== null) await this.grantIfListed(account);
    }
  }

  async grantIfListed(account: Account): Promise<Account> {
    const isDue = account.emailVerified && account.role !== 'admin';
    if (!isDue || !this.listed.has(account.email)) return account;
    return (await this.grant(account, BY_LIST)) ?? { ...account, role: 'admin' };
  }

  /** Returns null if an admin exists already. @throws EmailTakenError */
  async createFirst(input: Omit<NewAccount, 'role'>): Promise<Account | null> {
    const account = await this.oneByOne(async () =>
      (await this.accounts.hasAdmin())
        ? null
        : this.accounts.insert({ ...input, role: 'admin' }, new Date()),
    );
    if (account === null) return null;
    await this.note(account, BY_SETUP);
    return account;
  }

  /** @throws UnknownAccountError, UnverifiedAdminError, RoleHeldError, LastAdminError */
  async setRole(id: string, role: Role, actor: AuditActor): Promise<Account> {
    const account = await this.accounts.findById(id);
    if (account === null) throw new UnknownAccountError();
    if (account.role === role) return account;
    if (role === 'admin') {
      if (!account.emailVerified) throw new UnverifiedAdminError();
      return (await this.grant(account, actor)) ?? { ...account, role };
    }
    if (this.listed.has(account.email)) throw new RoleHeldError();
    const changed = await this.keepingAnAdmin(id, () => this.accounts.setRole(id, role));
    if (changed !== null) await this.note(changed, actor);
    return changed ?? { ...account, role };
  }

  /**
   * Serializes actions that may remove an active admin, so that one admin always remains.
   * @param act must write last, so that nothing is written if it throws
   * @throws LastAdminError if no other account is an active, verified admin
   */
  async keepingAnAdmin<T>(id: string, act: (account: Account) => Promise<T>): Promise<T> {
    return this.oneByOne(async () => {
      const since = performance.now();
      const account = await this.accounts.findById(id);
      if (account === null) throw new UnknownAccountError();
      if (isAdmin(account) && !(await this.accounts.hasAdminBeside(id))) throw new LastAdminError();
      if (performance.now() - since > ADMIN_LOCK_MS / 2) throw new AdminsBusyError();
      return act(account);
    });
  }

  private async oneByOne<T>(act: () => Promise<T>): Promise<T> {
    const holder = await this.takeLock();
    try {
      return await act();
    } finally {
      await this.leases.release(ADMINS_LOCK, holder).catch((err: unknown) => {
        this.log.warn('Could not release the lock on admin changes; it will expire on its own', {
          err,
        });
      });
    }
  }

  private async takeLock(): Promise<string> {
    const end = performance.now() + LOCK_PATIENCE_MS;
    for (;;) {
      const holder = await this.leases.acquire(ADMINS_LOCK, ADMIN_LOCK_MS);
      if (holder !== null) return holder;
      if (performance.now() > end) throw new AdminsBusyError();
      await sleep(LOCK_TRY_MS);
    }
  }

  private async grant(account: Account, actor: AuditActor): Promise<Account | null> {
    const granted = await this.accounts.setRole(account.id, 'admin');
    if (granted !== null) await this.note(granted, actor);
    return granted;
  }

  private async note({ id, role }: Account, actor: AuditActor): Promise<void> {
    await this.trail.add({
      actor,
      act: 'account.role',
      subject: { kind: 'account', id },
      before: { role: role === 'admin' ? 'user' : 'admin' },
      after: { role },
    });
    this.log.info('Account role changed', { account: id, role, via: actor.via });
  }
}
