import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { Model, type mongo, Types } from 'mongoose';
import { sliceItems } from '../../infrastructure/mongo/many-documents';
import type { CountsSum } from './counts-sum';
import type { ImportedCounts } from './imported-counts';
import {
  CountsRevisionRecord,
  ImportedCountsRecord,
  MAX_STORED_UNITS,
  toCounts,
  toCountsRecord,
} from './imported-counts.schema';

/** Small enough that decoding a batch blocks a web process for only a few milliseconds. */
const COUNTS_BATCH = 100;
/** Index entries are small: decoding a batch takes a few milliseconds. */
const OWNER_BATCH = 2000;
const BY_OWNER = 'owner_clicks';

/** Total from a source that also lists visits, and the number of visits imported so far. */
export interface SingleClicks {
  readonly total: number;
  readonly taken: number;
}

@Injectable()
export class ImportedCountsRepository {
  constructor(
    @InjectModel(ImportedCountsRecord.name) private readonly counts: Model<ImportedCountsRecord>,
    @InjectModel(CountsRevisionRecord.name) private readonly revisions: Model<CountsRevisionRecord>,
  ) {}

  /** Replaces all previous counts for these links. */
  async save(ownerId: string, counts: readonly ImportedCounts[]): Promise<void> {
    for (const slice of sliceItems(counts, COUNTS_BATCH)) {
      const writes = slice.map((linkCounts) => {
        const replacement = toCountsRecord(linkCounts);
        return { replaceOne: { filter: { _id: replacement._id }, replacement, upsert: true } };
      });
      await this.counts.collection.bulkWrite(writes, { ordered: false });
    }
    if (counts.length > 0) await this.noteChange([new Types.ObjectId(ownerId)]);
  }

  /** A repeated page changes nothing, but pages must be in order. */
  async takePage<T extends { readonly clicks: number }>(
    ownerId: string,
    page: number,
    visits: ReadonlyMap<string, T>,
    added: (
      link: { readonly id: string; readonly counts: ImportedCounts | null },
      visits: T,
      singles: SingleClicks,
    ) => ImportedCounts | null,
  ): Promise<void> {
    for (const ids of sliceItems([...visits.keys()], COUNTS_BATCH)) {
      const which = { _id: { $in: ids.map((id) => new Types.ObjectId(id)) } };
      const left = new Set(ids);
      let writes: { replaceOne: object }[] = [];
      let units = 0;
      const take = (id: string, before: ImportedCountsRecord | null): void => {
        left.delete(id);
        const singles = before?.singles ?? { total: before?.clicks ?? 0, taken: 0, page: 0 };
        const linkVisits = visits.get(id);
        if (singles.page >= page || linkVisits === undefined) return;
        const taken = singles.taken + linkVisits.clicks;
        const link = { id, counts: before && toCounts(before) };
        const counts = added(link, linkVisits, { total: singles.total, taken });
        if (counts === null) return;
        const replacement = toCountsRecord(counts);
        replacement.singles = { total: singles.total, taken, page };
        units += replacement.time.starts.length;
        writes.push({
          replaceOne: { filter: { _id: replacement._id }, replacement, upsert: true },
        });
      };
      const write = async (): Promise<void> => {
        if (writes.length > 0)
          await this.counts.collection.bulkWrite(writes as never, { ordered: false });
        [writes, units] = [[], 0];
      };
      for await (const found of this.counts.collection
        .find(which as never)
        .batchSize(COUNTS_BATCH)) {
        const record = found as unknown as ImportedCountsRecord;
        take(record._id.toHexString(), record);
        if (units >= MAX_STORED_UNITS) await write();
      }
      for (const id of left) take(id, null);
      await write();
    }
    if (visits.size > 0) await this.noteChange([new Types.ObjectId(ownerId)]);
  }

  /** Stores the totals minus the imported visits; with `areCounts`, stores the complete totals. */
  async saveTotals(
    ownerId: string,
    totals: readonly ImportedCounts[],
    taken: ReadonlyMap<string, number>,
    areCounts: boolean,
  ): Promise<void> {
    for (const total of totals) {
      const singles = taken.get(total.linkId) ?? 0;
      const clicks = areCounts
        ? Math.max(total.clicks, singles)
        : Math.max(0, total.clicks - singles);
      const record = toCountsRecord({ ...total, clicks });
      const { matchedCount } = await this.counts.updateOne(
        { _id: record._id },
        { $set: { clicks, 'singles.total': total.clicks } },
      );
      if (matchedCount > 0) continue;
      record.singles = { total: total.clicks, taken: singles, page: 0 };
      await this.counts.collection.insertOne(record);
    }
    if (totals.length > 0) await this.noteChange([new Types.ObjectId(ownerId)]);
  }

  /** Deletes the counts for links whose clicks were all imported as visits. */
  async removeEmpty(ownerId: string, importId: string): Promise<void> {
    await this.counts.deleteMany({ import: importId, clicks: { $lte: 0 } }, { hint: 'import' });
    await this.noteChange([new Types.ObjectId(ownerId)]);
  }

  async remove(linkIds: readonly string[]): Promise<void> {
    if (linkIds.length === 0) return;
    const which = { _id: { $in: linkIds.map((id) => new Types.ObjectId(id)) } };
    const found = await this.counts
      .find(which, { owner: 1 })
      .lean<Pick<ImportedCountsRecord, 'owner'>[]>();
    if (found.length === 0) return;
    await this.counts.deleteMany(which);
    await this.noteChange(found.map(({ owner }) => owner));
  }

  /** Like `remove`, but sums computed earlier are never shown again, even after a crash. */
  async drop(ownerId: string | null, linkIds: readonly string[]): Promise<void> {
    await this.counts.deleteMany({ _id: { $in: linkIds.map((id) => new Types.ObjectId(id)) } });
    const next = { $set: { revision: { $add: ['$revision', 1] } } };
    const floor = { $set: { floor: '$revision' } };
    await this.revisions.updateOne({ _id: ownerId }, [next, floor], { updatePipeline: true });
  }

  /** Returns a number that increases with every change; null if the account never had counts. */
  async findRevision(ownerId: string): Promise<number | null> {
    return (await this.findRevisions(ownerId))?.revision ?? null;
  }

  /** Also returns the first revision that may be shown. */
  async findRevisions(ownerId: string): Promise<{ revision: number; floor: number } | null> {
    const found = await this.revisions.findById(ownerId).lean<CountsRevisionRecord>();
    return found && { revision: found.revision, floor: found.floor ?? 0 };
  }

  /** Returns clicks by link id; links without counts are absent. */
  async findClicks(linkIds: readonly string[]): Promise<Map<string, number>> {
    if (linkIds.length === 0) return new Map();
    const found = await this.counts
      .find({ _id: { $in: linkIds.map((id) => new Types.ObjectId(id)) } }, { clicks: 1 })
      .lean<Pick<ImportedCountsRecord, '_id' | 'clicks'>[]>();
    return new Map(found.map(({ _id, clicks }) => [_id.toHexString(), clicks]));
  }

  /** Like `findClicks`, for all links of an account. Reads only the index. */
  async findClicksOfOwner(ownerId: string): Promise<Map<string, number>> {
    const found = this.counts.collection.find<Pick<ImportedCountsRecord, '_id' | 'clicks'>>(
      { owner: new Types.ObjectId(ownerId) },
      { projection: { clicks: 1 }, hint: BY_OWNER, batchSize: OWNER_BATCH },
    );
    const clicks = new Map<string, number>();
    for await (const record of found) clicks.set(record._id.toHexString(), record.clicks);
    return clicks;
  }

  /** Returns clicks by account; throws after `maxTimeMS`. Reads only the index. */
  async sumByOwner(
    ownerIds: readonly string[] | 'all',
    maxTimeMS: number,
  ): Promise<Map<string, number>> {
    const which =
      ownerIds === 'all' ? {} : { owner: { $in: ownerIds.map((id) => new Types.ObjectId(id)) } };
    const sums = await this.counts.aggregate<{ _id: Types.ObjectId; clicks: number }>(
      [{ $match: which }, { $group: { _id: '$owner', clicks: { $sum: '$clicks' } } }],
      { hint: BY_OWNER, maxTimeMS },
    );
    return new Map(sums.map(({ _id, clicks }) => [_id.toHexString(), clicks]));
  }

  async sum(maxTimeMS: number): Promise<number> {
    const sums = await this.sumByOwner('all', maxTimeMS);
    return [...sums.values()].reduce((sum, clicks) => sum + clicks, 0);
  }

  async findTotals(linkIds: readonly string[]): Promise<Map<string, number>> {
    if (linkIds.length === 0) return new Map();
    const found = await this.counts
      .find(
        { _id: { $in: linkIds.map((id) => new Types.ObjectId(id)) } },
        { clicks: 1, 'singles.total': 1 },
      )
      .lean<Pick<ImportedCountsRecord, '_id' | 'clicks' | 'singles'>[]>();
    return new Map(
      found.map(({ _id, clicks, singles }) => [_id.toHexString(), singles?.total ?? clicks]),
    );
  }

  /** Yields the links that have counts, in the given order. */
  async *findSeries(linkIds: readonly string[]): AsyncGenerator<ImportedCounts> {
    for (const slice of sliceItems(linkIds, COUNTS_BATCH)) {
      const which = { _id: { $in: slice.map((id) => new Types.ObjectId(id)) }, clicks: { $gt: 0 } };
      const found = await this.counts.find(which).lean<ImportedCountsRecord[]>();
      const byId = new Map(found.map((record) => [record._id.toHexString(), toCounts(record)]));
      for (const id of slice) {
        const counts = byId.get(id);
        if (counts !== undefined) yield counts;
      }
    }
  }

  async addLinks(sum: CountsSum, linkIds: readonly string[]): Promise<void> {
    for (const slice of sliceItems(linkIds, COUNTS_BATCH)) {
      const which = { _id: { $in: slice.map((id) => new Types.ObjectId(id)) } };
      await this.addFound(sum, this.counts.collection.find(which as never));
    }
  }

  /** The totals are read from an index that contains all required fields. */
  async addAccount(sum: CountsSum, ownerId: string): Promise<void> {
    const owner = new Types.ObjectId(ownerId);
    const totals = await this.counts.aggregate<{ _id: string; clicks: number }>(
      [
        { $match: { owner, detailed: false } },
        { $group: { _id: '$source', clicks: { $sum: '$clicks' } } },
      ],
      { hint: BY_OWNER },
    );
    for (const { _id: source, clicks } of totals) sum.addTotal(source, clicks);
    const which = { owner, detailed: true };
    await this.addFound(sum, this.counts.collection.find(which as never, { hint: BY_OWNER }));
  }

  private async addFound(sum: CountsSum, cursor: mongo.FindCursor): Promise<void> {
    for await (const record of cursor.batchSize(COUNTS_BATCH)) {
      sum.add(toCounts(record as ImportedCountsRecord));
    }
  }

  async sumOfImport(importId: string): Promise<{ links: number; clicks: number }> {
    const [found] = await this.counts.aggregate<{ links: number; clicks: number }>(
      [
        { $match: { import: new Types.ObjectId(importId) } },
        { $group: { _id: null, links: { $sum: 1 }, clicks: { $sum: '$clicks' } } },
      ],
      { hint: 'import' },
    );
    return { links: found?.links ?? 0, clicks: found?.clicks ?? 0 };
  }

  private async noteChange(owners: readonly Types.ObjectId[]): Promise<void> {
    const distinct = new Map(owners.map((owner) => [owner.toHexString(), owner]));
    for (const _id of distinct.values()) {
      await this.revisions.updateOne({ _id }, { $inc: { revision: 1 } }, { upsert: true });
    }
  }

  async removeByAccount(ownerId: string): Promise<void> {
    await this.revisions.deleteOne({ _id: ownerId });
  }
}
