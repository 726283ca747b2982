import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { AppLog } from '../../common/log';
import { ChangeBus } from '../../infrastructure/change-bus/bus';
import { ClosedOwners } from '../../stores/links/closed-owners';
import { AccountsRepository } from '../account/accounts.repository';
import { RemovedAccountsRepository } from './removed-accounts.repository';

const ACCOUNTS_REFRESH_MS = 30_000;
/** Retry interval while the database is unreachable. */
const ACCOUNTS_RETRY_MS = 1000;
/** Retry interval for the first read. Short, because requests fail until the list is loaded. */
const FIRST_READ_RETRY_MS = 100;

/**
 * Suspended and deleted accounts, in memory because token checks and redirects must not query the
 * database. Reloaded after each change, and every 30 s in case a message was lost.
 */
@Injectable()
export class ClosedAccounts implements OnModuleDestroy {
  private timer?: NodeJS.Timeout;
  private isStopped = false;
  /** The latest read. Reads run one by one, so that no older result replaces a newer one. */
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
    return this.owners.has(id);
  }

  /** Call after storing a change. Every web process then reloads the list. */
  async announceChange(): Promise<void> {
    await this.bus.publish('accounts.closed', null);
    // The bus does not await its listeners.
    await this.reading;
  }

  private readAgain(): Promise<void> {
    this.reading = this.reading.then(() => this.read());
    return this.reading;
  }

  private async read(): Promise<void> {
    let next = ACCOUNTS_REFRESH_MS;
    try {
      const now = new Date();
      const [closed, removed] = await Promise.all([
        this.accounts.closedIds(now),
        this.removed.ids(now),
      ]);
      this.owners.replaceIds(new Set([...closed, ...removed]));
    } catch (err) {
      this.log.debug('Could not read the closed accounts; retrying', { err });
      next = this.owners.isLoaded ? ACCOUNTS_RETRY_MS : FIRST_READ_RETRY_MS;
    }
    clearTimeout(this.timer);
    if (this.isStopped) return;
    this.timer = setTimeout(() => void this.readAgain(), next).unref();
  }
}
