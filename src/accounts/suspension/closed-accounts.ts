import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { AppLog } from '../../common/log';
import { ChangeBus } from '../../infrastructure/change-bus/bus';
import { ClosedOwners } from '../../stores/links/closed-owners';
import { AccountsRepository } from '../accounts.repository';
import { RemovedAccountsRepository } from '../deletion/removed-accounts.repository';

const ACCOUNTS_REFRESH_MS = 30_000;
/** Between two tries while the database does not answer. */
const ACCOUNTS_RETRY_MS = 1000;
/** Until they are read for the first time, all that depends on them is refused. */
const FIRST_READ_RETRY_MS = 100;

/**
 * Ids of accounts that are suspended, are being deleted or were lately, in the memory of a web process,
 * since access tokens and redirects ask nobody. Read again at each such change anywhere, and every 30 s
 * where a message was lost.
 */
@Injectable()
export class ClosedAccounts implements OnModuleDestroy {
  private timer?: NodeJS.Timeout;
  private isStopped = false;
  /** Reads follow one another, so that an earlier one does not have the last word. */
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

  /** Call it once the database is connected; resolves after the first attempt to read them. */
  async start(): Promise<void> {
    await this.readAgain();
  }

  onModuleDestroy(): void {
    this.isStopped = true;
    clearTimeout(this.timer);
  }

  /** @throws StartingError until they are loaded */
  has(id: string): boolean {
    return this.owners.has(id);
  }

  /** To be called after such a change was stored: every web process reads them again. */
  async announceChange(): Promise<void> {
    await this.bus.publish('accounts.closed', null);
    // The bus does not wait for what its listeners begin.
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
      this.log.debug('Closed accounts could not be read', { err });
      next = this.owners.isLoaded ? ACCOUNTS_RETRY_MS : FIRST_READ_RETRY_MS;
    }
    clearTimeout(this.timer);
    if (this.isStopped) return;
    this.timer = setTimeout(() => void this.readAgain(), next).unref();
  }
}
