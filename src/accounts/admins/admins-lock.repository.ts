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

/**
 * The lock under which admins lose what makes them admins, one on a database: a document of the
 * collection `settings`, held until a time of the database's clock at most.
 */
@Injectable()
export class AdminsLockRepository {
  constructor(@InjectConnection() private readonly connection: Connection) {}

  /** The holder's name, for `releaseLock`; null while somebody else holds the lock. */
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

  /** `$expr` finds a lock, and makes none. */
  private async makeLock(): Promise<void> {
    try {
      await this.locks.updateOne({ _id: ADMINS_LOCK }, { $setOnInsert: FREE }, { upsert: true });
    } catch (error) {
      // Somebody was quicker.
      if (!isDuplicateKey(error)) throw error;
    }
  }

  private get locks() {
    return this.connection.collection<Lock>('settings');
  }
}
