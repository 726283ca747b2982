import { Injectable } from '@nestjs/common';
import { InjectConnection } from '@nestjs/mongoose';
import type { Connection } from 'mongoose';
import { DURABLE } from '../../infrastructure/mongo/write-barrier';
import type { ListsVersion } from '../../blocklists/blocked-destinations';

const BLOCK_LISTS = 'block_lists';

export interface AppliedLists {
  /** Null during a walk, because links are then checked against different versions. */
  readonly version: ListsVersion | null;
  /** Walk start in database time. */
  readonly begunAt: Date;
}

interface AppliedRecord {
  readonly _id: string;
  readonly version: ListsVersion | null;
  readonly begun_at: Date;
}

/** Stores which lists were applied last, for all services on a database. */
@Injectable()
export class ListWalksRepository {
  constructor(@InjectConnection() private readonly connection: Connection) {}

  /** Returns empty lists if there was no walk yet. */
  async applied(): Promise<AppliedLists> {
    const found = await this.settings().findOne({ _id: BLOCK_LISTS });
    if (found === null) return { version: { hosts: '', urls: '' }, begunAt: new Date(0) };
    return { version: found.version, begunAt: found.begun_at };
  }

  async note({ version, begunAt }: AppliedLists): Promise<void> {
    const update = { $set: { version, begun_at: begunAt } };
    await this.settings().updateOne({ _id: BLOCK_LISTS }, update, { upsert: true, ...DURABLE });
  }

  private settings() {
    return this.connection.collection<AppliedRecord>('settings');
  }
}
