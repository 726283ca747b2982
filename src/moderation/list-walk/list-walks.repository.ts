import { Injectable } from '@nestjs/common';
import { InjectConnection } from '@nestjs/mongoose';
import type { Connection } from 'mongoose';
import { DURABLE } from '../../infrastructure/mongo/write-barrier';
import type { ListsVersion } from '../../blocklists/blocked-destinations';

const BLOCK_LISTS = 'block_lists';

/** Lists that all links were held against. */
export interface AppliedLists {
  /** Null while a walk is under way: some links are held against other lists than the others. */
  readonly version: ListsVersion | null;
  /** Database time at which the walk began. */
  readonly begunAt: Date;
}

interface AppliedRecord {
  readonly _id: string;
  readonly version: ListsVersion | null;
  readonly begun_at: Date;
}

/** The lists that were applied to the links, in what all services on a database share. */
@Injectable()
export class ListWalksRepository {
  constructor(@InjectConnection() private readonly connection: Connection) {}

  /** Empty lists, where no walk was ever begun. */
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
