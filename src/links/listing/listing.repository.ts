import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { Model, type mongo, Types } from 'mongoose';
import type { Link } from '../link';
import { toLink } from '../link.schema';
import { LinkRecord } from '../link.schema';
import { RemovedLinkRecord } from '../removal/removed-link.schema';
import { type ListedLink, NEVER, searchText } from './listed-link';

/** Decoding this many at once holds up the process for a few milliseconds. */
const BATCH = 1000;
const BY_OWNER = 'owner_touched';
const SHOWN = {
  alias: 1,
  long_url: 1,
  created_at: 1,
  last_click: 1,
  total_clicks: 1,
  status: 1,
  expire_after: 1,
  max_clicks: 1,
  password_hash: 1,
} as const;

type ListedRecord = Pick<LinkRecord, '_id' | keyof typeof SHOWN>;

/** What lists of links ask of the database. */
@Injectable()
export class ListingRepository {
  constructor(
    @InjectModel(LinkRecord.name) private readonly links: Model<LinkRecord>,
    @InjectModel(RemovedLinkRecord.name) private readonly removed: Model<RemovedLinkRecord>,
  ) {}

  /** The database's own time, by which writes are stamped. */
  async now(): Promise<Date> {
    const { db } = this.links.db;
    const [answer] =
      (await db?.aggregate<{ now: Date }>([{ $documents: [{ now: '$$NOW' }] }]).toArray()) ?? [];
    if (answer === undefined) throw new Error('The database did not tell its time');
    return answer.now;
  }

  /** All links of the account, some at a time, in the order of writes: a change comes again. */
  all(ownerId: string): AsyncGenerator<ListedLink[]> {
    return this.read({ owner: new Types.ObjectId(ownerId) }, { hint: BY_OWNER });
  }

  /** Those of these links that exist, as they are now. */
  async some(ids: readonly string[]): Promise<ListedLink[]> {
    if (ids.length === 0) return [];
    const found: ListedLink[] = [];
    const filter = { _id: { $in: ids.map((id) => new Types.ObjectId(id)) } };
    for await (const links of this.read(filter)) found.push(...links);
    return found;
  }

  /** Which of the account's links were written since then, and when, out of the index alone. */
  async touchedSince(ownerId: string, since: Date): Promise<Map<string, number>> {
    const stamps = await this.links.collection
      .find<Pick<LinkRecord, '_id' | 'touched_at'>>(
        { owner: new Types.ObjectId(ownerId), touched_at: { $gte: since } },
        { projection: { touched_at: 1 }, hint: BY_OWNER },
      )
      .toArray();
    return new Map(stamps.map(({ _id, touched_at }) => [_id.toHexString(), touched_at.getTime()]));
  }

  /** The account's links that were removed since then. */
  async removedSince(ownerId: string, since: Date): Promise<string[]> {
    const notes = await this.removed
      .find({ owner: new Types.ObjectId(ownerId), at: { $gte: since } }, { _id: 1 })
      .lean();
    const ids = notes.map(({ _id }) => _id);
    if (ids.length === 0) return [];
    // Noted first and removed then: what is noted may still be there.
    const there = await this.links.find({ _id: { $in: ids } }, { _id: 1 }).lean();
    const known = new Set(there.map(({ _id }) => _id.toHexString()));
    return ids.map((id) => id.toHexString()).filter((id) => !known.has(id));
  }

  /** The links with these ids, in this order; those that are gone are left out. */
  async findInOrder(ids: readonly string[]): Promise<Link[]> {
    if (ids.length === 0) return [];
    const records = await this.links.find({ _id: { $in: ids } }).lean<LinkRecord[]>();
    const links = new Map(records.map((record) => [record._id.toHexString(), toLink(record)]));
    return ids.flatMap((id) => links.get(id) ?? []);
  }

  private async *read(
    filter: object,
    options: mongo.FindOptions = {},
  ): AsyncGenerator<ListedLink[]> {
    // Past mongoose, which would take several times as long for each of many documents.
    const cursor = this.links.collection.find<ListedRecord>(filter, {
      ...options,
      projection: SHOWN,
      batchSize: BATCH,
    });
    while (await cursor.hasNext()) yield cursor.readBufferedDocuments().map(toListedLink);
  }
}

function toListedLink(record: ListedRecord): ListedLink {
  return {
    id: record._id.toHexString(),
    text: searchText(record.alias, record.long_url),
    createdAt: record.created_at.getTime(),
    lastClick: record.last_click?.getTime() ?? NEVER,
    totalClicks: record.total_clicks,
    status: record.status,
    expireAfter: record.expire_after?.getTime() ?? Infinity,
    passwordSet: record.password_hash !== null,
    maxClicksSet: record.max_clicks !== null,
  };
}
