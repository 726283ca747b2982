import { mongo } from 'mongoose';
import { DatabaseUnavailableError } from '../../common/errors';
import { REMOVED_LINKS, type RemovedLinkRecord } from './removed-link.schema';

const SWEPT_AT_ONCE = 500;

/** Links are noted before they are deleted, so a noted link may still exist. */
export class RemovedLinksRepository {
  /** @param database may still be connecting */
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

  notedSince(ownerId: string, since: Date): Promise<string[]> {
    return this.findIds({ owner: new mongo.ObjectId(ownerId), at: { $gte: since } });
  }

  notedBefore(moment: Date): Promise<string[]> {
    return this.findIds({ at: { $lt: moment } }, SWEPT_AT_ONCE);
  }

  async forget(ids: readonly string[]): Promise<void> {
    await this.notes.deleteMany({ _id: { $in: ids.map((id) => new mongo.ObjectId(id)) } });
  }

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
