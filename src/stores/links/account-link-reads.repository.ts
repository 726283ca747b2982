import type { mongo } from 'mongoose';
import { BsonFields } from '../../infrastructure/mongo/bson-fields';
import {
  type ClockReading,
  DatabaseClock,
  databaseTime,
} from '../../infrastructure/mongo/database-time';
import { sliceItems } from '../../infrastructure/mongo/many-documents';
import {
  among,
  BY_CREATION,
  LinkCollection,
  type LinkFields,
  LINKS_BATCH,
  objectId,
} from './link-collection.repository';
import { LINKS } from './link.schema';

// Indexes are named explicitly, because the embedded engine chooses poor plans for large sorts.
const BY_WRITE = 'owner_touched';
/** Takes a tenth less processor time than LINKS_BATCH. */
const LOADED_AT_ONCE = 2000;

/** `tags`, `since` and the timestamp are set only if they were requested. */
export class TaggedLink {
  id = '';
  alias = '';
  tags: readonly string[] = [];
  /** Time in milliseconds up to which the link's clicks are deleted. */
  since?: number = undefined;
  touchedAt = NaN;
}

const TAGGED = new BsonFields<TaggedLink>({
  _id: (link, value) => (link.id = value.hex()),
  alias: (link, value) => (link.alias = value.text()),
  clicks_deleted_at: (link, value) => (link.since = value.number()),
  touched_at: (link, value) => (link.touchedAt = value.number()),
  tags: (link, value) => (link.tags = value.elements((tag) => tag.sharedHex())),
});

/** A link's id and the database time of its last write, in milliseconds. */
class LinkStamp {
  id = '';
  at = 0;
}

const STAMP_FIELDS = new BsonFields<LinkStamp>({
  _id: (stamp, value) => (stamp.id = value.hex()),
  touched_at: (stamp, value) => (stamp.at = value.number()),
});

interface SortedPart {
  readonly sortBy: 'created_at' | 'last_click' | 'total_clicks';
  readonly skip: number;
  readonly limit: number;
  readonly descending: boolean;
}

/** Reads an account's links for lists and statistics. */
export class AccountLinkReads extends LinkCollection {
  private readonly clock = new DatabaseClock(() => databaseTime(this.db));

  time(): Promise<ClockReading> {
    return this.clock.ask();
  }

  async countByOwner(ownerId: string): Promise<number> {
    // This command counts index keys; the driver's `countDocuments` is a slower aggregation.
    const count = { count: LINKS, query: { owner: objectId(ownerId) }, hint: BY_CREATION };
    const { n } = await this.db.command(count);
    return n as number;
  }

  findByOwner(ownerId: string, limit: number): Promise<{ id: string; alias: string }[]> {
    return this.findAliases({ owner: objectId(ownerId) }, { limit, hint: BY_CREATION });
  }

  /** Returns a page sorted by a field, then by id. For `created_at`, reads only the index. */
  async sortedIds(
    ownerId: string,
    { sortBy, skip, limit, descending }: SortedPart,
    count: number,
  ): Promise<string[]> {
    const direction = descending ? -1 : 1;
    const hint = sortBy === 'created_at' ? BY_CREATION : await this.fastestHint(count);
    const found = await this.links
      .find({ owner: objectId(ownerId) }, { projection: { _id: 1 }, hint })
      .sort({ [sortBy]: direction, _id: direction })
      .skip(skip)
      .limit(limit)
      .toArray();
    return found.map(({ _id }) => _id.toHexString());
  }

  /**
   * Returns each link exactly once, even during concurrent writes.
   * @param count number of links, if known; batches are then larger, so the caller should yield
   */
  async *documentsByOwner(
    ownerId: string,
    fields: LinkFields,
    count = 0,
  ): AsyncGenerator<Uint8Array[]> {
    const hint = await this.fastestHint(count);
    const batchSize = count > 0 ? LOADED_AT_ONCE : LINKS_BATCH;
    yield* this.documents({ owner: objectId(ownerId) }, fields, hint, batchSize);
  }

  /** If an account has most of the links, reading all links is twice as fast as using an index. */
  private async fastestHint(count: number): Promise<mongo.Hint> {
    const isMost = count > LINKS_BATCH && 2 * count > (await this.links.estimatedDocumentCount());
    return isMost ? { $natural: 1 } : BY_CREATION;
  }

  async *documentsAmong(ids: readonly string[], fields: LinkFields): AsyncGenerator<Uint8Array[]> {
    for (const slice of sliceItems(ids, LINKS_BATCH)) yield* this.documents(among(slice), fields);
  }

  /** Yields the ids and times of writes since `since`. Reads only the index. */
  async *touchedSince(ownerId: string, since: Date): AsyncGenerator<LinkStamp[]> {
    const filter = { owner: objectId(ownerId), touched_at: { $gte: since } };
    for await (const batch of this.documents(filter, { touched_at: 1 }, BY_WRITE)) {
      yield batch.map((document) => STAMP_FIELDS.read(document, new LinkStamp()));
    }
  }

  /** Reads links by id, or an account's links, optionally only those with any of the tags. */
  taggedOf(
    which: { ids: readonly string[] } | { ownerId: string; tags?: readonly string[] },
  ): Promise<TaggedLink[]> {
    const read = { alias: 1, clicks_deleted_at: 1, tags: 1 } as const;
    if ('ids' in which) return tagged(this.documentsAmong(which.ids, read));
    const { ownerId, tags } = which;
    if (tags === undefined)
      return tagged(this.documentsByOwner(ownerId, { ...read, touched_at: 1 }));
    const filter = { owner: objectId(ownerId), tags: { $in: tags.map(objectId) } };
    return tagged(this.documents(filter, read));
  }
}

export async function tagged(documents: AsyncGenerator<Uint8Array[]>): Promise<TaggedLink[]> {
  const links: TaggedLink[] = [];
  // Equal strings are shared: a million links with three tags each would take 120 MB.
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
