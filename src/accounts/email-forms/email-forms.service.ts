import { Injectable, OnApplicationBootstrap, OnModuleDestroy } from '@nestjs/common';
import { setTimeout as sleep } from 'node:timers/promises';
import { AppLog } from '../../common/log';
import { MongoConnector } from '../../infrastructure/mongo/mongo-connector';
import { readEmail } from '../account-email';
import { EmailFormsRepository, type StoredEmail } from './email-forms.repository';

/** Counts up with every change of what `readEmail` makes of an address. */
const FORM = 1;
const CLAIM_MS = 10 * 60_000;
const RETRY_MS = 1000;
/** Accounts looked at together: no two of them are given one email between them. */
const BATCH = 10_000;

/**
 * Brings the emails that earlier releases have stored into the form that they are compared in now,
 * once for a database. It runs beside the service: only the few accounts that it is about, whose
 * emails are not plain ASCII, can notice that it has not come to them yet.
 *
 * Where one mailbox has two accounts, both stay as they are, and the log names their ids: whose
 * links are to go to whom is the operator's decision.
 */
@Injectable()
export class EmailFormsService implements OnApplicationBootstrap, OnModuleDestroy {
  private stopped = false;

  constructor(
    private readonly repository: EmailFormsRepository,
    private readonly mongo: MongoConnector,
    private readonly log: AppLog,
  ) {}

  onApplicationBootstrap(): void {
    void this.runWhenConnected();
  }

  onModuleDestroy(): void {
    this.stopped = true;
  }

  /** One pass over the database unless it had its own already. */
  async run(now: Date): Promise<void> {
    const until = new Date(now.getTime() + CLAIM_MS);
    if (!(await this.repository.claim(FORM, now, until))) return;
    try {
      let after: string | null = null;
      for (;;) {
        const batch = await this.repository.next(after, BATCH);
        await this.changeAll(batch);
        after = batch.at(-1)?.id ?? null;
        if (after === null || this.stopped) break;
      }
      if (!this.stopped) await this.repository.finish(FORM);
    } finally {
      await this.repository.release(now);
    }
  }

  private async changeAll(batch: readonly StoredEmail[]): Promise<void> {
    const byForm = new Map<string, StoredEmail[]>();
    for (const stored of batch) {
      const form = readEmail(stored.email);
      if (form === null) {
        this.log.warn('The email of an account is no address any more', { account: stored.id });
      } else if (form !== stored.email) byForm.set(form, [...(byForm.get(form) ?? []), stored]);
    }
    for (const [form, accounts] of byForm) {
      if (this.stopped) return;
      await this.changeOne(form, accounts);
    }
  }

  private async changeOne(form: string, accounts: readonly StoredEmail[]): Promise<void> {
    const [first, ...others] = accounts;
    if (first === undefined) return;
    const owner = await this.repository.ownerOf(form);
    const isFree = owner === null && others.length === 0;
    if (isFree && (await this.repository.change(first, form))) return;
    const ids = [owner ?? (await this.repository.ownerOf(form)), ...accounts.map(({ id }) => id)];
    this.log.warn('One mailbox has several accounts; they stay as they are', {
      accounts: ids.filter((id) => id !== null),
    });
  }

  /** What fails is tried again at the next start at the latest; nothing waits for it. */
  private async runWhenConnected(): Promise<void> {
    while (!this.stopped && !(await this.mongo.isHealthy())) {
      await sleep(RETRY_MS, undefined, { ref: false });
    }
    try {
      if (!this.stopped) await this.run(new Date());
    } catch (error) {
      // Closing the database ends what is under way: the next start goes on there.
      if (this.stopped) return;
      this.log.warn('The emails of earlier releases could not be looked through', { err: error });
    }
  }
}
