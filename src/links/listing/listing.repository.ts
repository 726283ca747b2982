import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { Model, Types } from 'mongoose';
import type { Link } from '../lookup/link';
import { toLink } from '../lookup/link.mapper';
import { LinkRecord } from '../lookup/link.schema';
import { RemovedLinkRecord } from '../removal/removed-link.schema';
import { type ListedLink, NEVER, searchText } from './listed-link';

/** Decoding this many at once holds up the process for a few milliseconds. */
const BATCH = 1000;
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

  /** The account's links that were written since then, oldest writes first; all of them for null. */
  async touchedSince(ownerId: string, since: Date | null): Promise<ListedLink[]> {
    // Past mongoose, which would take several times as long for each of many documents.
    const cursor = this.links.collection.find<ListedRecord>(
      {
        owner: new Types.ObjectId(ownerId),
        ...(since === null ? {} : { touched_at: { $gte: since } }),
      },
      { projection: SHOWN, sort: { touched_at: 1 }, hint: 'owner', batchSize: BATCH },
    );
    const links: ListedLink[] = [];
    while (await cursor.hasNext()) links.push(...cursor.readBufferedDocuments().map(toListedLink));
    return links;
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
