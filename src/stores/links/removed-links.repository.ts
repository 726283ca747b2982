import { mongo } from 'mongoose';
import { DatabaseUnavailableError } from '../../common/errors';
import { REMOVED_LINKS, type RemovedLinkRecord } from './removed-link.schema';

const SWEPT_AT_ONCE = 500;

/** Notes of links that were to be removed: what is noted may still be there. */
export class RemovedLinksRepository {
  /** @param database a connection, also one that is not open yet */
  constructor(private readonly database: { readonly db: mongo.Db | undefined }) {}

  async note(ids: readonly string[], ownerId: string | null): Promise<void> {
    const update = {
      $set: { owner: ownerId === null ? null : new mongo.ObjectId(ownerId) },
      $currentDate: { at: true },
    } as const;
    const notes = ids.map((id) => ({
      updateOne: { filter: { _id: new mongo.ObjectId(id) }, update, upsert: true },
    }));
    await this.notes.bulkWrite(notes, { ordered: false });
  }

  /** Ids of the account's links noted since then. */
  notedSince(ownerId: string, since: Date): Promise<string[]> {
    return this.findIds({ owner: new mongo.ObjectId(ownerId), at: { $gte: since } });
  }

  /** Ids noted before that moment, some of them. */
  notedBefore(moment: Date): Promise<string[]> {
    return this.findIds({ at: { $lt: moment } }, SWEPT_AT_ONCE);
  }

  async forget(ids: readonly string[]): Promise<void> {
    await this.notes.deleteMany({ _id: { $in: ids.map((id) => new mongo.ObjectId(id)) } });
  }

  /** @param limit 0 for all */
  private async findIds(which: mongo.Filter<RemovedLinkRecord>, limit = 0): Promise<string[]> {
    const notes = await this.notes.find(which, { projection: { _id: 1 }, limit }).toArray();
    return notes.map(({ _id }) => _id.toHexString());
  }

  private get notes(): mongo.Collection<RemovedLinkRecord> {
    const { db } = this.database;
    if (db === undefined) throw new DatabaseUnavailableError();
    return db.collection<RemovedLinkRecord>(REMOVED_LINKS);
  }
}
