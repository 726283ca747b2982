import type { mongo } from 'mongoose';
import { tagged } from './account-link-reads.repository';
import { foldKey } from './alias-form';
import { findByFolds, findHolders } from './folded-aliases.repository';
import type { Link } from './link';
import {
  among,
  BY_CREATION,
  LinkCollection,
  NOT_BLOCKED,
  objectId,
} from './link-collection.repository';
import { NEAR_LIMIT } from './link-updates';
import { type LinkRecord, REMEMBERED_FIELDS, toLink } from './link.schema';

// Indexes are named explicitly, because the embedded engine chooses poor plans for large sorts.
const BY_ALIAS = 'alias';
const BY_SOURCE = 'owner_source';
const BY_IMPORT = 'source_import';
const BY_BLOCK = 'owner_blocked';
const MAX_COUNTED_IN = 1_000_000;

/** Which links on a domain are read; all without conditions. */
interface LinksOf {
  /** Omits blocked links. */
  readonly isChangeable?: true;
  readonly ownerId?: string;
}

export class LinkReads extends LinkCollection {
  async findByAliases(aliases: readonly string[]): Promise<Link[]> {
    const records = await this.links.find({ alias: { $in: [...aliases] } }).toArray();
    return records.map(toLink);
  }

  /** Omits fields that clicks change, so that the bytes stay the same until the link is edited. */
  async findUndecoded(aliases: readonly string[]): Promise<Uint8Array[]> {
    return this.links
      .find({ alias: { $in: [...aliases] } }, { raw: true })
      .project<Uint8Array>(REMEMBERED_FIELDS)
      .toArray();
  }

  async findUndecodedByFolds(folds: readonly string[]): Promise<Uint8Array[]> {
    return findByFolds(this.links, folds, { raw: true, projection: REMEMBERED_FIELDS });
  }

  async findByAlias(alias: string): Promise<Link | null> {
    return (await this.findByAliases([alias]))[0] ?? null;
  }

  /** Returns the first of the account's own links, in the order of the aliases. */
  async findOwn(aliases: readonly string[], ownerId: string): Promise<Link | null> {
    const links = await this.findByAliases(aliases);
    const own = aliases.map((alias) => links.find((link) => link.alias === alias));
    return own.find((link) => link?.ownerId === ownerId) ?? null;
  }

  /** Finds the link to which an alias leads visitors. */
  async findVisited(alias: string): Promise<Link | null> {
    const link = await this.findByAlias(alias);
    if (link !== null || !this.ignoresCase) return link;
    const [record, ...others] = await findByFolds(this.links, [foldKey(alias)]);
    return record === undefined || others.length > 0 ? null : toLink(record);
  }

  /** Returns, by requested alias, the links that prevent its use. */
  async findHolders(aliases: readonly string[]): Promise<Map<string, Link>> {
    const exact = aliases.length === 0 ? [] : await this.findByAliases(aliases);
    const holders = new Map(exact.map((link) => [link.alias, link]));
    if (!this.ignoresCase) return holders;
    const others = aliases.filter((alias) => !holders.has(alias)).map((alias) => ({ alias }));
    const records = await findHolders(this.links, others);
    for (const [{ alias }, record] of records) holders.set(alias, toLink(record));
    return holders;
  }

  async findById(id: string): Promise<Link | null> {
    const record = await this.links.findOne({ _id: objectId(id) });
    return record === null ? null : toLink(record);
  }

  /** Returns the owner's next links by creation time and id. */
  async findAfter(
    ownerId: string,
    after: { readonly createdAt: Date; readonly id: string } | null,
    limit: number,
  ): Promise<Link[]> {
    const sort = { created_at: 1, _id: 1 } as const;
    const read = (which: mongo.Filter<LinkRecord>, max: number): Promise<LinkRecord[]> =>
      this.links
        .find({ owner: objectId(ownerId), ...which }, { hint: BY_CREATION })
        .sort(sort)
        .limit(max)
        .toArray();
    if (after === null) return (await read({}, limit)).map(toLink);
    const { createdAt, id } = after;
    // Two reads, because the embedded engine does not use the index for an $or with a sort.
    const same = await read({ created_at: createdAt, _id: { $gt: objectId(id) } }, limit);
    const left = limit - same.length;
    const later = left === 0 ? [] : await read({ created_at: { $gt: createdAt } }, left);
    return [...same, ...later].map(toLink);
  }

  /** Returns links in id order; deleted links are skipped. */
  async findInOrder(ids: readonly string[]): Promise<Link[]> {
    if (ids.length === 0) return [];
    const records = await this.links.find(among(ids)).toArray();
    const links = new Map(records.map((record) => [record._id.toHexString(), toLink(record)]));
    return ids.flatMap((id) => links.get(id) ?? []);
  }

  /** Returns the ids of the account's imported links by their key in the source. */
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

  /** Counts the links that an import created and that are not blocked; reads only the index. */
  async countUndoable(
    importId: string,
    clickedAfter: Date,
  ): Promise<{ links: number; clicked: number }> {
    const isOpen = { $lte: ['$blocked.at', null] };
    const isClicked = { $and: [isOpen, { $gt: ['$last_click', clickedAfter] }] };
    const [counts] = await this.links
      .aggregate<{ links: number; clicked: number }>(
        [
          { $match: { 'source.import': objectId(importId) } },
          {
            $group: {
              _id: null,
              links: { $sum: { $cond: [isOpen, 1, 0] } },
              clicked: { $sum: { $cond: [isClicked, 1, 0] } },
            },
          },
        ],
        { hint: BY_IMPORT },
      )
      .toArray();
    return { links: counts?.links ?? 0, clicked: counts?.clicked ?? 0 };
  }

  findUndoable(importId: string, limit: number): Promise<{ id: string; alias: string }[]> {
    const created = { 'source.import': objectId(importId), ...NOT_BLOCKED };
    return this.findAliases(created, { hint: BY_IMPORT, limit });
  }

  async nearLimit(ids: readonly string[]): Promise<Link[]> {
    if (ids.length === 0) return [];
    return (await this.links.find({ ...among(ids), ...NEAR_LIMIT }).toArray()).map(toLink);
  }

  blockedAmong(ids: readonly string[]): Promise<Set<string>> {
    return this.havingAmong('blocked', ids);
  }

  /** Returns the links whose clicks were deleted. */
  clearedAmong(ids: readonly string[]): Promise<Set<string>> {
    return this.havingAmong('clicks_deleted_at', ids);
  }

  private async havingAmong(field: keyof LinkRecord, ids: readonly string[]): Promise<Set<string>> {
    if (ids.length === 0) return new Set();
    const found = await this.links
      .find({ ...among(ids), [field]: { $exists: true } })
      .project<Pick<LinkRecord, '_id'>>({ _id: 1 })
      .toArray();
    return new Set(found.map(({ _id }) => _id.toHexString()));
  }

  /** Returns the number of an account's blocked links, and the first; without a time, the newest. */
  async findBlocked(
    ownerId: string,
    limit: number,
    time?: { readonly since: Date; readonly until: Date },
  ): Promise<{ count: number; links: Link[] }> {
    const at = time === undefined ? { $gt: new Date(0) } : { $gt: time.since, $lte: time.until };
    const blocked = { owner: objectId(ownerId), 'blocked.at': at };
    const sort = time === undefined ? -1 : 1;
    const order = { 'blocked.at': sort, _id: sort } as const;
    const [count, records] = await Promise.all([
      this.links.countDocuments(blocked, { hint: BY_BLOCK }),
      this.links.find(blocked, { hint: BY_BLOCK, sort: order, limit }).toArray(),
    ]);
    return { count, links: records.map(toLink) };
  }

  /** Stops counting at `limit`. Aliases on a domain start with the domain's id. */
  countIn(domainId: string, limit = MAX_COUNTED_IN, which: LinksOf = {}): Promise<number> {
    // An account with few links on a shared domain has a better index.
    const hint = which.ownerId === undefined ? BY_ALIAS : undefined;
    return this.links.countDocuments(within(domainId, which), { hint, limit });
  }

  findIn(
    domainId: string,
    limit: number,
    which: LinksOf = {},
  ): Promise<{ id: string; alias: string }[]> {
    return this.findAliases(within(domainId, which), { limit });
  }

  /** Returns all of an account's links, or only those with the given aliases or ids. */
  async findNames(
    ownerId: string,
    only: { aliases?: readonly string[]; ids?: readonly string[] } = {},
  ): Promise<{ id: string; alias: string; since?: number }[]> {
    const named = {
      ...(only.aliases === undefined ? {} : { alias: { $in: [...only.aliases] } }),
      ...(only.ids === undefined ? {} : among(only.ids)),
    };
    return tagged(
      this.documents({ owner: objectId(ownerId), ...named }, { alias: 1, clicks_deleted_at: 1 }),
    );
  }

  /** Returns Unix milliseconds; null if the account has no links. */
  async oldestCreation(ownerId: string): Promise<number | null> {
    const oldest = await this.links.findOne(
      { owner: objectId(ownerId) },
      { projection: { created_at: 1 }, sort: { created_at: 1 } },
    );
    return oldest?.created_at.getTime() ?? null;
  }
}

/** Aliases on a domain start with the domain's id (docs/contract.md#25.8). */
function within(domainId: string, { isChangeable, ownerId }: LinksOf): mongo.Filter<LinkRecord> {
  return {
    alias: { $gte: `${domainId}/`, $lt: `${domainId}0` },
    ...(isChangeable && NOT_BLOCKED),
    ...(ownerId !== undefined && { owner: objectId(ownerId) }),
  };
}
