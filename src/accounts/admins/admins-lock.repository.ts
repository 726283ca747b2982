import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { InjectConnection } from '@nestjs/mongoose';
import type { Connection } from 'mongoose';
import { isDuplicateKey } from '../../common/database-fault';

const ADMINS_LOCK = 'admins_lock';

interface Lock {
  readonly _id: string;
  readonly holder: string;
  readonly until: Date;
}

const FREE = { holder: '', until: new Date(0) };

/** Database-wide lock for removing admins; the lease ends by the database's clock. */
@Injectable()
export class AdminsLockRepository {
  constructor(@InjectConnection() private readonly connection: Connection) {}

  /** Returns a token for `releaseLock`; null if the lock is held. */
  async takeLock(leaseMs: number): Promise<string | null> {
    await this.makeLock();
    const holder = randomUUID();
    const { modifiedCount } = await this.locks.updateOne(
      { _id: ADMINS_LOCK, $expr: { $lt: ['$until', '$$NOW'] } },
      [{ $set: { holder, until: { $add: ['$$NOW', leaseMs] } } }],
    );
    return modifiedCount === 1 ? holder : null;
  }

  async releaseLock(holder: string): Promise<void> {
    await this.locks.updateOne({ _id: ADMINS_LOCK, holder }, { $set: FREE });
  }

  /** Needed because an update with `$expr` cannot upsert. */
  private async makeLock(): Promise<void> {
    try {
      await this.locks.updateOne({ _id: ADMINS_LOCK }, { $setOnInsert: FREE }, { upsert: true });
    } catch (error) {
      if (!isDuplicateKey(error)) throw error;
    }
  }

  private get locks() {
    return this.connection.collection<Lock>('settings');
  }
}
