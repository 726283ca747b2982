import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { InjectConnection } from '@nestjs/mongoose';
import type { Connection } from 'mongoose';
import { isDuplicateKey } from '../../common/database-fault';

type LeaseName = 'admins_lock' | 'report_mail';

interface Lease {
  readonly _id: LeaseName;
  readonly holder: string;
  readonly until: Date;
}

const FREE = { holder: '', until: new Date(0) };

/** Leases, each held by at most one process on any machine; the database's clock determines expiry. */
@Injectable()
export class DatabaseLeases {
  constructor(@InjectConnection() private readonly connection: Connection) {}

  /** Returns a token for `release`; null if another process holds the lease. */
  async acquire(_id: LeaseName, leaseMs: number): Promise<string | null> {
    await this.insertMissing(_id);
    const holder = randomUUID();
    const { modifiedCount } = await this.leases.updateOne(
      { _id, $expr: { $lt: ['$until', '$$NOW'] } },
      [{ $set: { holder, until: { $add: ['$$NOW', leaseMs] } } }],
    );
    return modifiedCount === 1 ? holder : null;
  }

  async release(_id: LeaseName, holder: string): Promise<void> {
    await this.leases.updateOne({ _id, holder }, { $set: FREE });
  }

  /** Creates the document first, because an update with `$expr` cannot upsert. */
  private async insertMissing(_id: LeaseName): Promise<void> {
    try {
      await this.leases.updateOne({ _id }, { $setOnInsert: FREE }, { upsert: true });
    } catch (error) {
      if (!isDuplicateKey(error)) throw error;
    }
  }

  private get leases() {
    return this.connection.collection<Lease>('settings');
  }
}
