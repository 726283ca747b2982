import { mongo } from 'mongoose';
import { isDuplicateKey } from '../../common/database-fault';
import { DatabaseUnavailableError } from '../../common/errors';
import { BsonFields } from '../../infrastructure/mongo/bson-fields';
import { collectWriteErrors } from '../../infrastructure/mongo/bulk-write';
import {
  type ClockReading,
  DatabaseClock,
  databaseTime,
} from '../../infrastructure/mongo/database-time';
import {
  DOCUMENTS_A_STATEMENT,
  sliceItems,
  valueByDocument,
} from '../../infrastructure/mongo/many-documents';
import { isAlike } from '../../destinations/alike';
import { hasDestinations, type NewDestinations } from '../../destinations/destinations';
import { changesAddresses, toStoredHosts } from './destination-hosts';
import { AliasTakenError } from './link.errors';
import { toConditions, type LinkCriteria } from './link-search';
import type { Link, LinkBlock, LinkChange, NewLink, QrStyle } from './link';
import {
  FIELDS_BY_HOSTS,
  type JudgedLink,
  LISTABLE_FIELDS,
  type ListableLink,
  type ListableRecord,
  readByHosts,
  toListable,
} from './listable-link';
import {
  destinationHash,
  type LinkRecord,
  LINKS,
  OWNED,
  toLink,
  toRecord,
  REMEMBERED_FIELDS,
} from './link.schema';
import {
  blocking,
  changing,
  claiming,
  CLOSING,
  insertion,
  NEAR_LIMIT,
  type LinkPipeline,
  type LinkTotals,
  quotaActivation,
  raising,
  repairing,
  restyling,
  SLOT_TAKING,
  type TagMoves,
  tagsAfter,
  unblocking,
  untagging,
} from './link-updates';
import { toStoredDestinations } from './stored-destinations.schema';

/** Decoding a batch blocks the process for a few milliseconds. */
const LINKS_BATCH = 1000;
// Index hints: the embedded engine has no planner for large sorts.
const BY_WRITE = 'owner_touched';
const BY_CREATION = 'owner_created';
const BY_ALIAS = 'alias';
const BY_TAG = 'owner_tags';
const BY_DESTINATION = 'owner_destination';
const BY_SOURCE = 'owner_source';
const BY_ID = '_id_';
const BY_HOST = 'destination_hosts';
const BY_BLOCKING = 'blocked';
const ABSENT = { $exists: false } as const;
const NOT_BLOCKED = { blocked: ABSENT } as const;
const TRIES_AT_ONCE = 5;
/** Owned links from releases without `reuse`. */
const UNHASHED = { ...OWNED, destination_hash: ABSENT };
const WITHOUT_HOSTS = { destination_hosts: ABSENT };
const TOTALS = { total_clicks: 1, open_clicks: 1, last_click: 1 } as const;

export type StoredTotals = LinkTotals & Pick<LinkRecord, '_id'>;

export type LinkFields = Readonly<Partial<Record<keyof LinkRecord, 1>>>;

/** Tags and timestamp are only set if they were read. */
export class TaggedLink {
  id = '';
  alias = '';
  tags: readonly string[] = [];
  touchedAt = NaN;
}

const TAGGED = new BsonFields<TaggedLink>({
  _id: (link, value) => (link.id = value.hex()),
  alias: (link, value) => (link.alias = value.text()),
  touched_at: (link, value) => (link.touchedAt = value.number()),
  tags: (link, value) => (link.tags = value.elements((tag) => tag.hex())),
});

/** Database time of a link's last write, in milliseconds. */
class LinkStamp {
  id = '';
  at = 0;
}

const STAMP_FIELDS = new BsonFields<LinkStamp>({
  _id: (stamp, value) => (stamp.id = value.hex()),
  touched_at: (stamp, value) => (stamp.at = value.number()),
});

const MAX_COUNTED_IN = 1_000_000;

/** `changeable` excludes blocked links. */
type LinksOf = 'all' | 'changeable';

export interface SharedChange {
  readonly change: LinkChange;
  readonly moves: TagMoves | null;
  readonly touch: boolean;
  readonly now: Date;
}

/** A batch in id order, with the links that need the backfill. */
interface UnfilledPart {
  /** Size of the batch, including complete links. */
  readonly looked: number;
  /** Id of the last link; null in an empty batch. */
  readonly last: string | null;
  readonly unhashed: readonly Pick<LinkRecord, '_id' | 'long_url'>[];
  readonly hostless: readonly Link[];
}

export interface LinkSums {
  readonly links: number;
  readonly clicks: number;
}

export interface LinkFigures extends LinkSums {
  readonly anonymous: number;
  readonly blocked: number;
  readonly recent: number;
}

/**
 * A plain class, because recorder, audit and statistics thread have no Nest. Bypasses mongoose,
 * which decodes documents several times slower.
 */
export class LinksRepository {
  private readonly clock = new DatabaseClock(() => databaseTime(this.db));

  /** @param refuseWrites throws until the unique indexes exist */
  constructor(
    private readonly database: { readonly db: mongo.Db | undefined },
    private readonly refuseWrites: () => void = () => undefined,
  ) {}

  // Reads.

  async findByAliases(aliases: readonly string[]): Promise<Link[]> {
    const records = await this.links.find({ alias: { $in: [...aliases] } }).toArray();
    return records.map(toLink);
  }

  /** Excludes fields that clicks change, so the bytes stay equal until the link is edited. */
  async findUndecoded(aliases: readonly string[]): Promise<Uint8Array[]> {
    return this.links
      .find({ alias: { $in: [...aliases] } }, { raw: true })
      .project<Uint8Array>(REMEMBERED_FIELDS)
      .toArray();
  }

  async findByAlias(alias: string): Promise<Link | null> {
    return (await this.findByAliases([alias]))[0] ?? null;
  }

  async findById(id: string): Promise<Link | null> {
    const record = await this.links.findOne({ _id: objectId(id) });
    return record === null ? null : toLink(record);
  }

  /** In the order of the ids; deleted links are missing. */
  async findInOrder(ids: readonly string[]): Promise<Link[]> {
    if (ids.length === 0) return [];
    const records = await this.links.find(among(ids)).toArray();
    const links = new Map(records.map((record) => [record._id.toHexString(), toLink(record)]));
    return ids.flatMap((id) => links.get(id) ?? []);
  }

  /**
   * The newest active link without a password that has this destination, these settings and the
   * alias, or else the domain; null if there is none.
   */
  async findAlike(
    ownerId: string,
    link: Omit<NewLink, 'alias' | 'tags'>,
    where: string | { readonly domainId: string | null },
    except: readonly string[] = [],
  ): Promise<Link | null> {
    const alike: mongo.Filter<LinkRecord> = {
      owner: objectId(ownerId),
      destination_hash: destinationHash(link.longUrl),
      long_url: link.longUrl,
      status: 'ACTIVE',
      ...NOT_BLOCKED,
      password_hash: null,
      max_clicks: link.maxClicks,
      expire_after: link.expireAfter,
      starts_at: link.startsAt ?? ABSENT,
      pre_start_url: link.preStartUrl ?? ABSENT,
      expired_redirect_url: link.expiredRedirectUrl ?? ABSENT,
      forward_query: link.forwardQuery || ABSENT,
      ...countsFilter(link.destinations),
      block_bots: link.blockBots,
      count_bots: link.countBots ? { $exists: false } : false,
      private_stats: link.privateStats,
      alias: typeof where === 'string' ? where : { $regex: aliasesOn(where.domainId) },
      _id: { $nin: except.map(objectId) },
    };
    const newest = { hint: BY_DESTINATION, sort: { created_at: -1, _id: -1 } } as const;
    if (!hasDestinations(link.destinations)) {
      const record = await this.links.findOne(alike, newest);
      return record === null ? null : toLink(record);
    }
    const records = this.links.find(alike, { ...newest, limit: LINKS_BATCH });
    for await (const record of records) {
      const found = toLink(record);
      if (isAlike(link.destinations, found.destinations)) return found;
    }
    return null;
  }

  /** Ids of the account's imported links, by their key in the source. */
  async findBySource(
    ownerId: string,
    kind: string,
    keys: readonly string[],
  ): Promise<Map<string, string>> {
    if (keys.length === 0) return new Map();
    const found = await this.links
      .find(
        { owner: objectId(ownerId), 'source.kind': kind, 'source.key': { $in: [...keys] } },
        { hint: BY_SOURCE },
      )
      .project<Pick<LinkRecord, '_id' | 'source'>>({ source: 1 })
      .toArray();
    return new Map(found.map(({ _id, source }) => [source?.key ?? '', _id.toHexString()]));
  }

  countImported(ownerId: string, kind: string, importId: string): Promise<number> {
    const imported = {
      owner: objectId(ownerId),
      'source.kind': kind,
      'source.key': { $exists: true },
      'source.import': objectId(importId),
    };
    return this.links.countDocuments(imported, { hint: BY_SOURCE });
  }

  /** Returns the ids that do not exist. */
  async missing(ids: readonly string[]): Promise<string[]> {
    if (ids.length === 0) return [];
    const found = this.links.find(among(ids)).project<Pick<LinkRecord, '_id'>>({ _id: 1 });
    const known = new Set((await found.toArray()).map(({ _id }) => _id.toHexString()));
    return ids.filter((id) => !known.has(id));
  }

  async nearLimit(ids: readonly string[]): Promise<Link[]> {
    if (ids.length === 0) return [];
    return (await this.links.find({ ...among(ids), ...NEAR_LIMIT }).toArray()).map(toLink);
  }

  /** Stops counting at `limit`; aliases on a domain start with its id. */
  countIn(domainId: string, limit = MAX_COUNTED_IN, which: LinksOf = 'all'): Promise<number> {
    return this.links.countDocuments(within(domainId, which), { hint: BY_ALIAS, limit });
  }

  findIn(
    domainId: string,
    limit: number,
    which: LinksOf = 'all',
  ): Promise<{ id: string; alias: string }[]> {
    return this.findAliases(within(domainId, which), { limit });
  }

  findOf(ownerId: string, limit: number): Promise<{ id: string; alias: string }[]> {
    return this.findAliases({ owner: objectId(ownerId) }, { limit, hint: BY_CREATION });
  }

  // Changes by owners.

  /** Durable and idempotent by id. @throws AliasTakenError */
  async insert(link: NewLink, now: Date): Promise<Link> {
    const [made] = await this.insertMany([link], now);
    if (made === undefined) throw new Error('A link was not stored');
    if (made instanceof Error) throw made;
    return made;
  }

  /** Durable; returns in order each link, new or existing by its id, or its AliasTakenError. */
  async insertMany(links: readonly NewLink[], now: Date): Promise<(Link | Error)[]> {
    if (links.length === 0) return [];
    const records = links.map((link) => toRecord(link, now));
    const inserts = records.map(({ _id, ...values }) => ({
      updateOne: { filter: { _id }, update: insertion(values), upsert: true },
    }));
    let inserted = 0;
    const write = this.writable.bulkWrite(inserts, { ordered: false });
    const errors = await collectWriteErrors(
      write.then(({ upsertedCount }) => (inserted = upsertedCount)),
    );
    const failures = new Map(errors.map((error) => [error.index, error]));
    // A concurrent attempt may have stored the same link before or after the check.
    const isPlain = inserted === records.length;
    const before = isPlain
      ? []
      : await this.findInOrder(records.map(({ _id }) => _id.toHexString()));
    const stored = new Map(before.map((link) => [link.id, link]));
    return records.map((record, i) => {
      const failure = failures.get(i);
      const link = stored.get(record._id.toHexString());
      if (link !== undefined || failure === undefined) return link ?? toLink(record);
      return isDuplicateKey(failure) ? new AliasTakenError(record.alias) : failure;
    });
  }

  /** Null if it is gone, blocked, renamed, or leads elsewhere by now. @throws AliasTakenError */
  async change(link: Link, change: LinkChange, now: Date, touch: boolean): Promise<Link | null> {
    try {
      const asRead = { ...NOT_BLOCKED, ...addressesAsRead(link, change) };
      const which = { _id: objectId(link.id), alias: link.alias, ...asRead };
      return await this.update(which, changing(change, now, touch, null, link));
    } catch (error) {
      if (isDuplicateKey(error)) throw new AliasTakenError(change.alias ?? link.alias);
      throw error;
    }
  }

  /** Skips links that are blocked, would exceed `maxTags` or would end before they start. */
  async changeMany(
    ownerId: string,
    ids: readonly string[],
    { change, moves, touch, now }: SharedChange,
    maxTags: number,
  ): Promise<void> {
    const fits = moves && { $expr: { $lte: [{ $size: tagsAfter(moves) }, maxTags] } };
    const owned = { ...among(ids), owner: objectId(ownerId), ...NOT_BLOCKED };
    const which = { ...owned, ...fits, ...inOrder(change) };
    if (changesAddresses(change)) {
      await this.changeEach(which, { change, moves, touch, now });
      return;
    }
    await this.writable.updateMany(which, changing(change, now, touch, moves));
  }

  /** One update per link: destination keys and hosts depend on its current destinations. */
  private async changeEach(
    which: mongo.Filter<LinkRecord>,
    { change, moves, touch, now }: SharedChange,
  ): Promise<void> {
    for (let attempt = 0; attempt < TRIES_AT_ONCE; attempt++) {
      const links = (await this.links.find(which).toArray()).map(toLink);
      if (links.length === 0) return;
      const updates = links.map((link) => ({
        updateOne: {
          filter: { ...which, _id: objectId(link.id), ...addressesAsRead(link, change) },
          update: changing(change, now, touch, moves, link),
        },
      }));
      const { matchedCount } = await this.writable.bulkWrite(updates, { ordered: false });
      // Re-reads links that changed concurrently; repeating the others has no effect.
      if (matchedCount === links.length) return;
    }
  }

  /** Skips the update if the password was changed meanwhile. */
  async replacePasswordHash(id: string, from: string, to: string): Promise<void> {
    const which = { _id: objectId(id), password_hash: from };
    await this.writable.updateOne(which, { $set: { password_hash: to } });
  }

  /** Returns the updated link; null if it is gone. */
  restyle(id: string, style: QrStyle | null): Promise<Link | null> {
    return this.update({ _id: objectId(id) }, restyling(style));
  }

  /** Null unless the claim token matches. Atomic: only one concurrent claim succeeds. */
  claim(id: string, claimHash: string, ownerId: string): Promise<Link | null> {
    const which = { _id: objectId(id), owner: null, claim: claimHash };
    return this.update(which, claiming(objectId(ownerId)));
  }

  async untag(ownerId: string, tagId: string): Promise<void> {
    const tag = objectId(tagId);
    const tagged = { owner: objectId(ownerId), tags: tag };
    for (;;) {
      const batch = await this.links
        .find(tagged, { projection: { _id: 1 }, hint: BY_TAG, limit: LINKS_BATCH })
        .toArray();
      if (batch.length === 0) return;
      // In batches, since a write must become visible soon after its timestamp.
      const which = { _id: { $in: batch.map(({ _id }) => _id) }, tags: tag };
      await this.writable.updateMany(which, untagging(tag));
    }
  }

  /** Returns the alias of the deleted link; null if it was gone. */
  async remove(id: string): Promise<string | null> {
    const which = { _id: objectId(id) };
    const removed = await this.writable.findOneAndDelete(which, { projection: { alias: 1 } });
    return removed?.alias ?? null;
  }

  // Blocked links (docs/contract.md#24.4).

  /** Returns the previous state, null if the link is gone; a blocked link gets the new reason. */
  async block(id: string, block: Omit<LinkBlock, 'at'>): Promise<Link | null> {
    const record = await this.writable.findOneAndUpdate({ _id: objectId(id) }, blocking(block));
    return record === null ? null : toLink(record);
  }

  /** Returns the previous state; null if the link is gone or not blocked. */
  async unblock(id: string): Promise<Link | null> {
    const blocked = { _id: objectId(id), blocked: { $exists: true } };
    const record = await this.writable.findOneAndUpdate(blocked, unblocking('admin'));
    return record === null ? null : toLink(record);
  }

  /** Newest, or last blocked, first; exceeding `maxTimeMS` throws (see `isOverTime`). */
  async search(
    criteria: LinkCriteria,
    { page, pageSize }: { page: number; pageSize: number },
    maxTimeMS: number,
  ): Promise<{ links: Link[]; total: number }> {
    const { host, ownerId, status } = criteria;
    const conditions = toConditions(criteria, new Date());
    const owned = ownerId === undefined ? {} : { owner: objectId(ownerId) };
    const which = { ...owned, ...(conditions.length > 0 && { $and: conditions }) };
    const isAll = ownerId === undefined && conditions.length === 0;
    const [hint, sort] =
      ownerId !== undefined
        ? [BY_CREATION, { created_at: -1, _id: -1 } as const]
        : status === 'BLOCKED'
          ? [BY_BLOCKING, { 'blocked.at': -1, _id: -1 } as const]
          : [host === undefined ? BY_ID : BY_HOST, { _id: -1 } as const];
    const [records, total] = await Promise.all([
      this.links
        .find(which, { hint, sort, maxTimeMS, skip: (page - 1) * pageSize, limit: pageSize })
        .toArray(),
      isAll
        ? this.links.estimatedDocumentCount({ maxTimeMS })
        : this.links.countDocuments(which, { hint, maxTimeMS }),
    ]);
    return { links: records.map(toLink), total };
  }

  /** Number of links and clicks by owner; times out after `maxTimeMS`. */
  async countsOfOwners(
    ownerIds: readonly string[] | 'all',
    maxTimeMS: number,
  ): Promise<Map<string, { links: number; clicks: number }>> {
    const isAll = ownerIds === 'all';
    const owner = isAll ? OWNED.owner : { $in: ownerIds.map(objectId) };
    const counts = this.links.aggregate<{ _id: mongo.ObjectId; links: number; clicks: number }>(
      [
        { $match: { owner } },
        { $group: { _id: '$owner', links: { $sum: 1 }, clicks: { $sum: '$total_clicks' } } },
      ],
      // An index would fetch all documents one by one, in random order.
      { maxTimeMS, hint: isAll ? { $natural: 1 } : BY_CREATION },
    );
    const all = await counts.toArray();
    return new Map(all.map(({ _id, links, clicks }) => [_id.toHexString(), { links, clicks }]));
  }

  async blockedAmong(ids: readonly string[]): Promise<Set<string>> {
    if (ids.length === 0) return new Set();
    const found = await this.links
      .find({ ...among(ids), blocked: { $exists: true } })
      .project<Pick<LinkRecord, '_id'>>({ _id: 1 })
      .toArray();
    return new Set(found.map(({ _id }) => _id.toHexString()));
  }

  // Click slots (docs/contract.md#7).

  /** Makes a link with its first limit issue slots; null if it is gone. */
  activateQuota(id: string, keepStatus: boolean): Promise<Link | null> {
    return this.update({ _id: objectId(id) }, quotaActivation(keepStatus));
  }

  async activateQuotas(ids: readonly string[], keepStatus: boolean): Promise<void> {
    await this.writable.updateMany(among(ids), quotaActivation(keepStatus));
  }

  /**
   * Atomic; the last slot closes the link. Null if there is no slot or the link is unavailable.
   * Needs no index, so that redirects work while indexes cannot be built.
   */
  async takeClick(id: string, now: Date): Promise<Link | null> {
    const open: mongo.Filter<LinkRecord> = {
      _id: objectId(id),
      status: 'ACTIVE',
      ...NOT_BLOCKED,
      max_clicks: { $ne: null },
      $or: [{ expire_after: null }, { expire_after: { $gt: now } }],
      $nor: [{ starts_at: { $gt: now } }],
      ...SLOT_TAKING.condition,
    };
    const taken = { returnDocument: 'after' } as const;
    const record = await this.links.findOneAndUpdate(open, SLOT_TAKING.update, taken);
    return record === null ? null : toLink(record);
  }

  /** Closes ACTIVE links without slots left; needs no index. */
  async closeUsedUp(ids: readonly string[]): Promise<void> {
    if (ids.length === 0) return;
    await this.links.updateMany({ ...among(ids), ...CLOSING.condition }, CLOSING.update);
  }

  // In-memory listings.

  time(): Promise<ClockReading> {
    return this.clock.ask();
  }

  async countByOwner(ownerId: string): Promise<number> {
    // Counts index keys; the driver's `countDocuments` aggregates, which passes on each of them.
    const count = { count: LINKS, query: { owner: objectId(ownerId) }, hint: BY_CREATION };
    const { n } = await this.db.command(count);
    return n as number;
  }

  /** A page in order of creation, ties by id, from the index alone. */
  async idsByCreation(
    ownerId: string,
    { skip, limit, descending }: { skip: number; limit: number; descending: boolean },
  ): Promise<string[]> {
    const direction = descending ? -1 : 1;
    const found = await this.links
      .find({ owner: objectId(ownerId) }, { projection: { _id: 1 }, hint: BY_CREATION })
      .sort({ created_at: direction, _id: direction })
      .skip(skip)
      .limit(limit)
      .toArray();
    return found.map(({ _id }) => _id.toHexString());
  }

  /** Returns each link once, despite concurrent writes. */
  documentsByOwner(ownerId: string, fields: LinkFields): AsyncGenerator<Uint8Array[]> {
    return this.documents({ owner: objectId(ownerId) }, fields, BY_CREATION);
  }

  async *documentsAmong(ids: readonly string[], fields: LinkFields): AsyncGenerator<Uint8Array[]> {
    for (const slice of sliceItems(ids, LINKS_BATCH)) yield* this.documents(among(slice), fields);
  }

  /** Ids and times of later writes, from the index alone. */
  async *touchedSince(ownerId: string, since: Date): AsyncGenerator<LinkStamp[]> {
    const filter = { owner: objectId(ownerId), touched_at: { $gte: since } };
    for await (const batch of this.documents(filter, { touched_at: 1 }, BY_WRITE)) {
      yield batch.map((document) => STAMP_FIELDS.read(document, new LinkStamp()));
    }
  }

  // Statistics.

  /** All links of an account, or those among the given aliases or ids. */
  async findNames(
    ownerId: string,
    only: { aliases?: readonly string[]; ids?: readonly string[] } = {},
  ): Promise<{ id: string; alias: string }[]> {
    const named = {
      ...(only.aliases === undefined ? {} : { alias: { $in: [...only.aliases] } }),
      ...(only.ids === undefined ? {} : among(only.ids)),
    };
    return tagged(this.documents({ owner: objectId(ownerId), ...named }, { alias: 1 }));
  }

  /** The links with these ids, or the account's, optionally only those with one of the tags. */
  taggedOf(
    which: { ids: readonly string[] } | { ownerId: string; tags?: readonly string[] },
  ): Promise<TaggedLink[]> {
    const read = { alias: 1, tags: 1 } as const;
    if ('ids' in which) return tagged(this.documentsAmong(which.ids, read));
    const { ownerId, tags } = which;
    if (tags === undefined)
      return tagged(this.documentsByOwner(ownerId, { ...read, touched_at: 1 }));
    const filter = { owner: objectId(ownerId), tags: { $in: tags.map(objectId) } };
    return tagged(this.documents(filter, read));
  }

  /** Unix milliseconds; null without links. */
  async oldestCreation(ownerId: string): Promise<number | null> {
    const oldest = await this.links.findOne(
      { owner: objectId(ownerId) },
      { projection: { created_at: 1 }, sort: { created_at: 1 } },
    );
    return oldest?.created_at.getTime() ?? null;
  }

  async sums(): Promise<LinkSums> {
    const [sums] = await this.links
      .aggregate<LinkSums>([
        { $group: { _id: null, links: { $sum: 1 }, clicks: { $sum: '$total_clicks' } } },
        { $project: { _id: 0, links: { $toDouble: '$links' }, clicks: { $toDouble: '$clicks' } } },
      ])
      .toArray();
    return sums ?? { links: 0, clicks: 0 };
  }

  /** @param maxMs database timeout */
  async figures(since: Date, maxMs: number): Promise<LinkFigures> {
    const countIf = (condition: object) => ({ $sum: { $cond: [condition, 1, 0] } });
    const [figures] = await this.links
      .aggregate<LinkFigures>(
        [
          {
            $group: {
              _id: null,
              links: { $sum: 1 },
              clicks: { $sum: '$total_clicks' },
              anonymous: countIf({ $lte: ['$owner', null] }),
              blocked: countIf({ $gt: ['$blocked', null] }),
              recent: countIf({ $gte: ['$created_at', since] }),
            },
          },
          { $set: { clicks: { $toDouble: '$clicks' } } },
        ],
        { maxTimeMS: maxMs },
      )
      .toArray();
    return figures ?? { links: 0, clicks: 0, anonymous: 0, blocked: 0, recent: 0 };
  }

  // Backfill of fields that earlier releases did not store.

  /** From the indexes alone. */
  async hasUnfilled(): Promise<boolean> {
    const options = { projection: { _id: 1 } } as const;
    const [unhashed, hostless] = await Promise.all([
      this.links.findOne(UNHASHED, { ...options, hint: BY_DESTINATION }),
      this.links.findOne(WITHOUT_HOSTS, { ...options, hint: BY_HOST }),
    ]);
    return unhashed !== null || hostless !== null;
  }

  async unfilledAfter(id: string | null, limit: number): Promise<UnfilledPart> {
    const part = await this.links.find(behind(id)).sort({ _id: 1 }).limit(limit).toArray();
    return {
      looked: part.length,
      last: part.at(-1)?._id.toHexString() ?? null,
      unhashed: part.filter(({ owner, destination_hash }) => owner && !destination_hash),
      hostless: part.filter(({ destination_hosts }) => !destination_hosts).map(toLink),
    };
  }

  /** Skips links whose destinations changed since they were read; listings do not show this. */
  async fill({ unhashed, hostless }: Pick<UnfilledPart, 'hostless' | 'unhashed'>): Promise<void> {
    const writes = [
      ...unhashed.map(({ _id, long_url }) => ({
        updateOne: {
          filter: { _id, long_url, destination_hash: ABSENT },
          update: { $set: { destination_hash: destinationHash(long_url) } },
        },
      })),
      ...hostless.map((link) => ({
        updateOne: {
          filter: { _id: objectId(link.id), long_url: link.longUrl, ...WITHOUT_HOSTS },
          update: { $set: { destination_hosts: toStoredHosts(link) } },
        },
      })),
    ];
    if (writes.length > 0) await this.writable.bulkWrite(writes, { ordered: false });
  }

  // Blocklists.

  estimatedCount(): Promise<number> {
    return this.links.estimatedDocumentCount();
  }

  listableAmong(ids: readonly string[]): Promise<ListableLink[]> {
    return this.listable(among(ids), ids.length);
  }

  /** For hosts only, bypasses the driver, which is five times slower. */
  async judgedAfter(
    id: string | null,
    limit: number,
    withAddresses: boolean,
  ): Promise<readonly JudgedLink[]> {
    if (withAddresses) return this.listable(behind(id), limit);
    const cursor = this.links
      .find(behind(id), { raw: true, limit, batchSize: limit })
      .project<Uint8Array>(FIELDS_BY_HOSTS)
      .sort({ _id: 1 });
    const links: JudgedLink[] = [];
    while (await cursor.hasNext()) links.push(...cursor.readBufferedDocuments().map(readByHosts));
    return links;
  }

  /** Skips links that are blocked, or whose destinations changed since they were read. */
  async closeByList(links: readonly ListableLink[], reason: string): Promise<void> {
    const open = { blocked: ABSENT, list_exempt: ABSENT };
    await this.updateListable(links, open, blocking({ reason, by: 'list' }));
  }

  /** Skips links that no list blocked, or whose destinations changed since they were read. */
  async openByList(links: readonly ListableLink[]): Promise<void> {
    await this.updateListable(links, { 'blocked.by': 'list' }, unblocking('list'));
  }

  private async updateListable(
    links: readonly ListableLink[],
    which: mongo.Filter<LinkRecord>,
    update: LinkPipeline,
  ): Promise<void> {
    if (links.length === 0) return;
    const writes = links.map(({ id, hosts, longUrl }) => ({
      updateOne: {
        filter: { _id: objectId(id), destination_hosts: hosts, long_url: longUrl, ...which },
        update,
      },
    }));
    await this.writable.bulkWrite(writes, { ordered: false });
  }

  countClosedByList(reason: string): Promise<number> {
    const closed = {
      'blocked.at': { $exists: true },
      'blocked.by': 'list' as const,
      'blocked.reason': reason,
    };
    return this.links.countDocuments(closed, { hint: BY_BLOCKING });
  }

  // Totals copied from click stores.

  async *ids(): AsyncGenerator<string> {
    const all = this.links.find().project<Pick<LinkRecord, '_id'>>({ _id: 1 });
    for await (const { _id } of all) yield _id.toHexString();
  }

  async findLimits(ids: readonly string[]): Promise<Map<string, number | null>> {
    const found = await this.links
      .find(among(ids))
      .project<Pick<LinkRecord, '_id' | 'max_clicks'>>({ max_clicks: 1 })
      .toArray();
    return new Map(found.map(({ _id, max_clicks }) => [_id.toHexString(), max_clicks]));
  }

  findTotals(id: string): Promise<StoredTotals | null> {
    return this.links.findOne<StoredTotals>({ _id: objectId(id) }, { projection: TOTALS });
  }

  /** Uses maxima, so two recorders may run this concurrently. */
  async raiseTotals(totals: readonly StoredTotals[]): Promise<void> {
    if (totals.length === 0) return;
    const raises = sliceItems(totals, DOCUMENTS_A_STATEMENT).map((slice) => {
      const ids = slice.map(({ _id }) => _id);
      const update = raising(valueByDocument(ids, slice));
      return { updateMany: { filter: { _id: { $in: ids } }, update } };
    });
    await this.writable.bulkWrite(raises, { ordered: false });
  }

  /** False if the totals changed since they were read. */
  async repairTotals(read: StoredTotals, totals: LinkTotals): Promise<boolean> {
    return (await this.writable.updateOne(read, repairing(totals))).modifiedCount === 1;
  }

  private async listable(which: mongo.Filter<LinkRecord>, limit: number): Promise<ListableLink[]> {
    const found = this.links.find(which).project<ListableRecord>(LISTABLE_FIELDS);
    return (await found.sort({ _id: 1 }).limit(limit).toArray()).map(toListable);
  }

  private async update(
    which: mongo.Filter<LinkRecord>,
    pipeline: LinkPipeline,
  ): Promise<Link | null> {
    const changed = { returnDocument: 'after' } as const;
    const record = await this.writable.findOneAndUpdate(which, pipeline, changed);
    return record === null ? null : toLink(record);
  }

  /** Batches of raw BSON: the driver takes ten times as long to decode documents. */
  private async *documents(
    filter: mongo.Filter<LinkRecord>,
    fields: LinkFields,
    hint?: string,
  ): AsyncGenerator<Uint8Array[]> {
    const cursor = this.links
      .find(filter, { hint, batchSize: LINKS_BATCH, raw: true })
      .project<Uint8Array>(fields);
    while (await cursor.hasNext()) yield cursor.readBufferedDocuments();
  }

  private get db(): mongo.Db {
    const { db } = this.database;
    if (db === undefined) throw new DatabaseUnavailableError();
    return db;
  }

  /** For reads, and for writes to one document by id that change no indexed field. */
  private get links(): mongo.Collection<LinkRecord> {
    return this.db.collection<LinkRecord>(LINKS);
  }

  private async findAliases(
    which: mongo.Filter<LinkRecord>,
    options: mongo.FindOptions,
  ): Promise<{ id: string; alias: string }[]> {
    const found = this.links.find(which, { projection: { alias: 1 }, ...options });
    return (await found.toArray()).map(({ _id, alias }) => ({ id: _id.toHexString(), alias }));
  }

  private get writable(): mongo.Collection<LinkRecord> {
    this.refuseWrites();
    return this.links;
  }
}

/** Matches links whose current start or expiry is compatible with the change. */
function inOrder({ expireAfter, startsAt }: LinkChange): mongo.Filter<LinkRecord> {
  if (expireAfter && startsAt === undefined)
    return { $nor: [{ starts_at: { $gte: expireAfter } }] };
  if (startsAt && expireAfter === undefined)
    return { $nor: [{ expire_after: { $lte: startsAt } }] };
  return {};
}

function objectId(id: string): mongo.ObjectId {
  return new mongo.ObjectId(id);
}

async function tagged(documents: AsyncGenerator<Uint8Array[]>): Promise<TaggedLink[]> {
  const links: TaggedLink[] = [];
  // Shares equal strings: a million links with three tags each would take 120 MB.
  const texts = new Map<string, string>();
  const shared = (tag: string): string => texts.get(tag) ?? (texts.set(tag, tag), tag);
  for await (const batch of documents) {
    for (const document of batch) {
      const link = TAGGED.read(document, new TaggedLink());
      link.tags = link.tags.map(shared);
      links.push(link);
    }
  }
  return links;
}

/** Aliases on a domain start with its id (docs/contract.md#25.8). */
function within(domainId: string, which: LinksOf): mongo.Filter<LinkRecord> {
  const alias = { $gte: `${domainId}/`, $lt: `${domainId}0` };
  return { alias, ...(which === 'changeable' && NOT_BLOCKED) };
}

/** Null = BASE_URL's host. */
function aliasesOn(domainId: string | null): RegExp {
  return domainId === null ? /^[^/]+$/ : new RegExp(`^${domainId}/`);
}

/** If the change contains destinations, requires that the link's own are as they were read. */
function addressesAsRead(link: Link, change: LinkChange): mongo.Filter<LinkRecord> {
  if (!changesAddresses(change)) return {};
  const { rules, geo_rules, ab_variants } = toStoredDestinations(link.destinations);
  const { ruleSeq, variantSeq } = link.destinations;
  return {
    long_url: link.longUrl,
    pre_start_url: link.preStartUrl ?? ABSENT,
    expired_redirect_url: link.expiredRedirectUrl ?? ABSENT,
    rules: rules ?? ABSENT,
    geo_rules: geo_rules ?? ABSENT,
    ab_variants: ab_variants ?? ABSENT,
    rule_seq: ruleSeq || ABSENT,
    variant_seq: variantSeq || ABSENT,
  };
}

/** Matches links with equal numbers of rules and variants, and equal presence of geo rules. */
function countsFilter({ rules, geoRules, abVariants }: NewDestinations): mongo.Filter<LinkRecord> {
  const sizeFilter = (count: number) => (count === 0 ? ABSENT : { $size: count });
  return {
    rules: sizeFilter(rules.length),
    geo_rules: { $exists: geoRules !== null },
    ab_variants: sizeFilter(abVariants.length),
  };
}

function behind(id: string | null): mongo.Filter<LinkRecord> {
  return id === null ? {} : { _id: { $gt: objectId(id) } };
}

function among(ids: readonly string[]): { _id: { $in: mongo.ObjectId[] } } {
  return { _id: { $in: ids.map(objectId) } };
}
