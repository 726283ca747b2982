import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { StartingError } from '../../common/errors';
import { AppLog } from '../../common/log';
import { ChangeBus } from '../../infrastructure/change-bus/bus';
import { ClosedOwners } from '../../stores/links/closed-owners';
import type { ClosingAccount } from '../account/account';
import { AccountsRepository } from '../account/accounts.repository';
import { RemovedAccountsRepository } from './removed-accounts.repository';

const ACCOUNTS_REFRESH_MS = 30_000;
/** Retry interval while the database is unreachable. */
const ACCOUNTS_RETRY_MS = 1000;
/** Retry interval for the first read. Short, because requests fail until the list is loaded. */
const FIRST_READ_RETRY_MS = 100;

/** Accounts with restricted credentials or links. */
interface Closings {
  /** Ids of suspended accounts and of accounts that are being deleted. */
  readonly closed: ReadonlySet<string>;
  readonly leaving: ReadonlySet<string>;
  /** Closed accounts, and leaving accounts whose links are closed. */
  readonly withoutLinks: ReadonlySet<string>;
}

/** @param removed ids of deleted accounts */
export function decideClosings(
  accounts: readonly ClosingAccount[],
  removed: readonly string[],
  now: Date,
): Closings {
  const isClosed = ({ isSuspended, deletesAt }: ClosingAccount): boolean =>
    isSuspended || (deletesAt !== null && deletesAt <= now);
  const idsOf = (some: readonly ClosingAccount[]): string[] => some.map(({ id }) => id);
  const closed = [...idsOf(accounts.filter(isClosed)), ...removed];
  const leaving = accounts.filter((each) => each.deletesAt !== null && each.deletesAt > now);
  const closing = leaving.filter(({ closesLinks }) => closesLinks);
  return {
    closed: new Set(closed),
    leaving: new Set(idsOf(leaving)),
    withoutLinks: new Set([...closed, ...idsOf(closing)]),
  };
}

/**
 * Suspended, leaving and deleted accounts, in memory because token checks and redirects must not query the
 * database. Reloaded after each change, and every 30 s in case a message was lost.
 */
@Injectable()
export class ClosedAccounts implements OnModuleDestroy {
  private timer?: NodeJS.Timeout;
  private isStopped = false;
  /** Null before the first load. */
  private closings: Closings | null = null;
  /** The latest read. Reads run one at a time, so that no older result replaces a newer one. */
  private reading: Promise<void> = Promise.resolve();

  constructor(
    private readonly accounts: AccountsRepository,
    private readonly removed: RemovedAccountsRepository,
    private readonly owners: ClosedOwners,
    private readonly bus: ChangeBus,
    private readonly log: AppLog,
  ) {
    bus.subscribe('accounts.closed', () => void this.readAgain());
    bus.onGap(() => void this.readAgain());
  }

  async start(): Promise<void> {
    await this.readAgain();
  }

  onModuleDestroy(): void {
    this.isStopped = true;
    clearTimeout(this.timer);
  }

  /** @throws StartingError until the list is loaded */
  has(id: string): boolean {
    return this.loaded().closed.has(id);
  }

  /** @throws StartingError until the list is loaded */
  isLeaving(id: string): boolean {
    return this.loaded().leaving.has(id);
  }

  /** Call after storing a change. Every web process then reloads the list. */
  async announceChange(): Promise<void> {
    await this.bus.publish('accounts.closed', null);
    // The bus does not await its listeners.
    await this.reading;
  }

  private loaded(): Closings {
    if (this.closings === null) throw new StartingError();
    return this.closings;
  }

  private readAgain(): Promise<void> {
    this.reading = this.reading.then(() => this.read());
    return this.reading;
  }

  private async read(): Promise<void> {
    let next = ACCOUNTS_REFRESH_MS;
    try {
      const now = new Date();
      const [accounts, removed] = await Promise.all([
        this.accounts.findClosing(),
        this.removed.ids(now),
      ]);
      this.closings = decideClosings(accounts, removed, now);
      this.owners.replaceIds(this.closings.withoutLinks);
    } catch (err) {
      this.log.debug('Could not read the closed accounts; retrying', { err });
      next = this.closings !== null ? ACCOUNTS_RETRY_MS : FIRST_READ_RETRY_MS;
    }
    clearTimeout(this.timer);
    if (this.isStopped) return;
    this.timer = setTimeout(() => void this.readAgain(), next).unref();
  }
}
