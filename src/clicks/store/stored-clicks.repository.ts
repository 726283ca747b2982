import '../../infrastructure/mongo/driver-repair';
import { type Collection, mongo } from 'mongoose';
import {
  binaryBytes,
  CLICK_BLOCKS,
  CLICK_STORES,
  toClickStore,
  STORED_NAMES,
  type StoredBlock,
  type StoredBlockRef,
  type StoredChunk,
  type StoredClickStore,
} from './click-store.schema';
import type {
  BlockEntry,
  ChunkSource,
  ClickStoreState,
  ClickStoreVersion,
  FollowedLinks,
  InlineChunks,
} from '../../engines/click-engine/query/chunk-source';
import type { Mark, MarkedLink } from '../../engines/click-engine/query/statistics-query';
import { LinkWrites, type ReadLinks } from '../../stores/links/link-writes';
import { placeOfKey } from '../../stores/links/alias-form';
import {
  AccountLinkReads,
  type TaggedLink,
} from '../../stores/links/account-link-reads.repository';
import { RemovedLinksRepository } from '../../stores/links/removed-links.repository';
import type { TagRecord } from '../../stores/tags/tag.schema';

const { ObjectId } = mongo;
const {
  inlineChunks: INLINE_CHUNKS,
  appliedBatches: APPLIED_BATCHES,
  revision: REVISION,
} = STORED_NAMES;
const TAGS = 'tags';
const WHOLE = { [APPLIED_BATCHES]: 0 };
const WITHOUT_DATA = { ...WHOLE, [`${INLINE_CHUNKS}.data`]: 0 };

const DOMAINS = 'domains';

/** Each takes up to 3 s. */
const CONNECT_TRIES = 4;

export class StoredClicksRepository implements ChunkSource {
  private readonly links: AccountLinkReads;
  private readonly removed: RemovedLinksRepository;

  constructor(readonly db: mongo.Db) {
    this.links = new AccountLinkReads({ db });
    this.removed = new RemovedLinksRepository({ db });
  }

  /** Uses a separate connection, opened by `open` or the first read. */
  static connect(uri: string): StoredClicksRepository {
    const client = new mongo.MongoClient(uri, {
      serverSelectionTimeoutMS: 3000,
      connectTimeoutMS: 3000,
      maxPoolSize: 4,
      promoteBuffers: true,
    });
    return new StoredClicksRepository(client.db());
  }

  /**
   * Connects unless connected. On a busy machine, this takes longer than a read waits, and after a
   * failure, no read would connect again.
   */
  async open(): Promise<void> {
    for (let left = CONNECT_TRIES; ; left -= 1) {
      try {
        await this.db.client.connect();
        return;
      } catch (error) {
        if (left === 1 || !isTooSlow(error)) throw error;
      }
    }
  }

  async close(): Promise<void> {
    await this.db.client.close();
  }

  async readLinks(ownerId: string): Promise<FollowedLinks> {
    return this.followedLinks(await LinkWrites.readAll(ownerId, this.links, this.removed));
  }

  /** Returns links by id, or an account's links that have any of the tags. */
  async readMarkedLinks(
    which: { ids: readonly string[] } | { ownerId: string; marks: readonly string[] },
  ): Promise<MarkedLink[]> {
    const links = await this.links.taggedOf(
      'ids' in which ? which : { ownerId: which.ownerId, tags: which.marks },
    );
    return (await this.labelled(links)).map(toMarkedLink);
  }

  /** Returns tags by id, or all of an account's tags. */
  async readMarks(which: { ids: readonly string[] } | { ownerId: string }): Promise<Mark[]> {
    const filter =
      'ids' in which
        ? { _id: { $in: which.ids.map((id) => new ObjectId(id)) } }
        : { owner: new ObjectId(which.ownerId) };
    const tags = await this.collection<TagRecord>(TAGS).find(filter).toArray();
    return tags.map(({ _id, name, key }) => ({ id: _id.toHexString(), label: name, key }));
  }

  /** Returns revisions and totals, five times faster than `heads`. */
  async versions(linkIds: readonly string[]): Promise<Map<string, ClickStoreVersion>> {
    const [found] = await this.collection<StoredClickStore>(CLICK_STORES)
      .aggregate<{ ids: mongo.ObjectId[]; revisions: number[]; totals: number[] }>([
        { $match: { _id: { $in: linkIds.map((id) => new ObjectId(id)) }, total: { $gt: 0 } } },
        // Returns a single document, because each returned document has a fixed cost.
        {
          $group: {
            _id: null,
            ids: { $push: '$_id' },
            revisions: { $push: `$${REVISION}` },
            totals: { $push: '$total' },
          },
        },
      ])
      .toArray();
    if (found === undefined) return new Map();
    const { ids, revisions, totals } = found;
    return new Map(
      ids.map((id, at) => [
        id.toHexString(),
        { revision: Number(revisions[at]), total: Number(totals[at]) },
      ]),
    );
  }

  /** Returns stores without inline chunk bytes; links without clicks are absent. */
  heads(linkIds: readonly string[]): Promise<ClickStoreState[]> {
    return this.readClickStores(linkIds, false);
  }

  /** Returns stores with inline chunk bytes. */
  stores(linkIds: readonly string[]): Promise<ClickStoreState[]> {
    return this.readClickStores(linkIds, true);
  }

  /** Returns bytes by block id; blocks that compaction has replaced are absent. */
  async blocks(ids: readonly string[]): Promise<Map<string, Uint8Array>> {
    const found = await this.collection<StoredBlock>(CLICK_BLOCKS)
      .find({ _id: { $in: ids.map((id) => new ObjectId(id)) } })
      .project<Pick<StoredBlock, '_id' | 'data'>>({ data: 1 })
      .toArray();
    return new Map(found.map(({ _id, data }) => [_id.toHexString(), binaryBytes(data)]));
  }

  private async readClickStores(
    linkIds: readonly string[],
    withData: boolean,
  ): Promise<ClickStoreState[]> {
    const stores = await this.collection<StoredClickStore>(CLICK_STORES)
      .find({ _id: { $in: linkIds.map((id) => new ObjectId(id)) } })
      .project<StoredClickStore>(withData ? WHOLE : WITHOUT_DATA)
      .toArray();
    return stores.filter(({ total }) => total > 0).map((store) => toState(store, withData));
  }

  private async followedLinks({ links, writes }: ReadLinks): Promise<FollowedLinks> {
    const changes = async () => {
      const later = await writes.readLater();
      return later && { ...(await this.followedLinks(later)), gone: later.gone };
    };
    const marked = (await this.labelled(links)).map(toMarkedLink);
    return { links: marked, follower: { bytes: writes.bytes, changes } };
  }

  /** Replaces domain ids in aliases with domain names (docs/contract.md#25.3). */
  private async labelled<T extends { alias: string }>(links: readonly T[]): Promise<readonly T[]> {
    const places = links.map(({ alias }) => placeOfKey(alias));
    const ids = new Set(places.flatMap(({ domainId }) => domainId ?? []));
    if (ids.size === 0) return links;
    const domains = await this.collection<{ _id: mongo.ObjectId; fqdn: string }>(DOMAINS)
      .find({ _id: { $in: [...ids].map((id) => new ObjectId(id)) } })
      .project<{ _id: mongo.ObjectId; fqdn: string }>({ fqdn: 1 })
      .toArray();
    const names = new Map(domains.map(({ _id, fqdn }) => [_id.toHexString(), fqdn]));
    for (const [i, { domainId, alias }] of places.entries()) {
      const link = links[i];
      if (link !== undefined && domainId !== null) {
        link.alias = `${names.get(domainId) ?? domainId}/${alias}`;
      }
    }
    return links;
  }

  private collection<T extends object>(name: string): Collection<T> {
    return this.db.collection<T>(name) as unknown as Collection<T>;
  }
}

function toMarkedLink({ id, alias, tags, since }: TaggedLink): MarkedLink {
  return { id, alias, marks: tags, since };
}

function toState(stored: StoredClickStore, withData: boolean): ClickStoreState {
  const { _id, revision, total, first, last, since, inlineChunks, blocks } = toClickStore(stored);
  return {
    linkId: _id.toHexString(),
    revision,
    total,
    from: Number(first),
    to: Number(last),
    since: since?.getTime(),
    inlineChunks: inlineChunks.length === 0 ? NO_INLINE : toInlineChunks(inlineChunks, withData),
    blocks: blocks.map(toBlockEntry),
  };
}

/** The object is shared, because most links have no inline chunks. */
const NO_INLINE: InlineChunks = { n: [], from: [], to: [], data: null };

function toInlineChunks(chunks: readonly StoredChunk[], withData: boolean): InlineChunks {
  return {
    n: chunks.map(({ n }) => n),
    from: chunks.map(({ from }) => Number(from)),
    to: chunks.map(({ to }) => Number(to)),
    data: withData ? chunks.map(({ data }) => binaryBytes(data)) : null,
  };
}

function toBlockEntry({ id, n, from, to, bytes }: StoredBlockRef): BlockEntry {
  return { id: id.toHexString(), n, from: Number(from), to: Number(to), bytes };
}

/** Reports whether time ran out although no server refused the connection. */
function isTooSlow(error: unknown): boolean {
  if (!(error instanceof mongo.MongoServerSelectionError)) return false;
  const servers = [...(error.reason?.servers.values() ?? [])];
  return servers.every(
    ({ error: failure }) => failure === null || failure instanceof mongo.MongoNetworkTimeoutError,
  );
}
