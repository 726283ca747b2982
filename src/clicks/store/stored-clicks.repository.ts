import { type Collection, mongo } from 'mongoose';
import {
  binaryBytes,
  CLICK_BLOCKS,
  CLICK_STORES,
  clickStoreOf,
  STORED_NAMES,
  type StoredBlock,
  type StoredBlockRef,
  type StoredClickStore,
} from './click-store.schema';
import type {
  BlockEntry,
  ChunkSource,
  ClickStoreState,
  ClickStoreVersion,
} from '../../click-engine/chunk-source';
import type { MarkedLink, MarkedLinks, Source } from '../../click-engine/statistics-query';
import { LinksRepository, type TaggedLink } from '../../link-store/links.repository';
import { type Tag, UNTAGGED } from '../../tag-store/tag';
import type { TagRecord } from '../../tag-store/tag.schema';

const { ObjectId } = mongo;
const {
  inlineChunks: INLINE_CHUNKS,
  appliedBatches: APPLIED_BATCHES,
  revision: REVISION,
} = STORED_NAMES;
const TAGS = 'tags';
const WHOLE = { [APPLIED_BATCHES]: 0 };
const WITHOUT_DATA = { ...WHOLE, [`${INLINE_CHUNKS}.data`]: 0 };

type StoredTag = Pick<Tag, 'id' | 'name' | 'key'>;

/** Reads what statistics are counted from. */
export class StoredClicksRepository implements ChunkSource {
  private readonly links: LinksRepository;

  private constructor(private readonly db: mongo.Db) {
    this.links = new LinksRepository({ db });
  }

  /** Over a connection of its own, which is made with the first reading. */
  static connect(uri: string): StoredClicksRepository {
    const client = new mongo.MongoClient(uri, {
      serverSelectionTimeoutMS: 3000,
      connectTimeoutMS: 3000,
      maxPoolSize: 4,
      promoteBuffers: true,
    });
    return new StoredClicksRepository(client.db());
  }

  /** The links of an account. */
  linksOf(ownerId: string): Promise<{ id: string; alias: string }[]> {
    return this.links.namesOf(ownerId);
  }

  /** The links of a source with their tags as they are now, read anew for each question. */
  async markedLinksOf(source: Source, only: readonly string[] | null): Promise<MarkedLinks> {
    const isAccount = 'ownerId' in source;
    const known = isAccount ? await this.tags({ owner: new ObjectId(source.ownerId) }) : [];
    const links = await this.links.taggedOf(
      isAccount
        ? { ...source, tags: idsOf(known, only) }
        : { ids: source.links.map(({ id }) => id) },
    );
    // Tags of links that were named, and new ones; a deleted tag is no link's any more.
    const met = new Set(links.flatMap(({ tags }) => tags));
    for (const { id } of known) met.delete(id);
    const others =
      met.size === 0
        ? []
        : await this.tags({ _id: { $in: [...met].map((id) => new ObjectId(id)) } });
    return markedLinks(links, [...known, ...others], only);
  }

  /** The versions of the stores of the links: a fifth of the time of their heads. */
  async versions(linkIds: readonly string[]): Promise<Map<string, ClickStoreVersion>> {
    const [found] = await this.collection<StoredClickStore>(CLICK_STORES)
      .aggregate<{ ids: mongo.ObjectId[]; revisions: number[]; totals: number[] }>([
        { $match: { _id: { $in: linkIds.map((id) => new ObjectId(id)) } } },
        // One document instead of many, each of which costs as much as its fields.
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

  /** The stores of the links without the bytes of their inline chunks; a link without clicks has none. */
  heads(linkIds: readonly string[]): Promise<ClickStoreState[]> {
    return this.clickStoresOf(linkIds, false);
  }

  /** The stores of the links, inline chunks included. */
  stores(linkIds: readonly string[]): Promise<ClickStoreState[]> {
    return this.clickStoresOf(linkIds, true);
  }

  /** The bytes of blocks by id; a block that compaction has replaced meanwhile is left out. */
  async blocks(ids: readonly string[]): Promise<Map<string, Uint8Array>> {
    const found = await this.collection<StoredBlock>(CLICK_BLOCKS)
      .find({ _id: { $in: ids.map((id) => new ObjectId(id)) } })
      .project<Pick<StoredBlock, '_id' | 'data'>>({ data: 1 })
      .toArray();
    return new Map(found.map(({ _id, data }) => [_id.toHexString(), binaryBytes(data)]));
  }

  private async tags(which: mongo.Filter<TagRecord>): Promise<StoredTag[]> {
    const tags = await this.collection<TagRecord>(TAGS).find(which).toArray();
    return tags.map(({ _id, name, key }) => ({ id: _id.toHexString(), name, key }));
  }

  private async clickStoresOf(
    linkIds: readonly string[],
    withData: boolean,
  ): Promise<ClickStoreState[]> {
    const stores = await this.collection<StoredClickStore>(CLICK_STORES)
      .find({ _id: { $in: linkIds.map((id) => new ObjectId(id)) } })
      .project<StoredClickStore>(withData ? WHOLE : WITHOUT_DATA)
      .toArray();
    return stores.map((store) => toState(store, withData));
  }

  private collection<T extends object>(name: string): Collection<T> {
    return this.db.collection<T>(name) as unknown as Collection<T>;
  }
}

/** The tags that links have one of; undefined where links without any are asked about too. */
function idsOf(tags: readonly StoredTag[], only: readonly string[] | null): string[] | undefined {
  if (only === null || only.includes(UNTAGGED)) return undefined;
  return tags.filter(({ key }) => only.includes(key)).map(({ id }) => id);
}

function markedLinks(
  links: readonly TaggedLink[],
  tags: readonly StoredTag[],
  only: readonly string[] | null,
): MarkedLinks {
  const numbers = new Map(tags.map(({ id }, number) => [id, number]));
  const passing = only && new Set(only);
  const marked = links.map(({ id, alias, tags: ids }) => ({
    ...{ id, alias },
    marks: ids.flatMap((tag) => numbers.get(tag) ?? []),
  }));
  const passes = ({ marks }: MarkedLink): boolean =>
    marks.length === 0
      ? passing?.has(UNTAGGED) !== false
      : passing === null || marks.some((mark) => passing.has(tags[mark]?.key ?? ''));
  return { links: marked.filter(passes), labels: tags.map(({ name }) => name) };
}

function toState(stored: StoredClickStore, withData: boolean): ClickStoreState {
  const { _id, revision, total, first, last, inlineChunks, blocks } = clickStoreOf(stored);
  return {
    linkId: _id.toHexString(),
    revision,
    total,
    from: Number(first),
    to: Number(last),
    inlineChunks: {
      n: inlineChunks.map(({ n }) => n),
      from: inlineChunks.map((chunk) => Number(chunk.from)),
      to: inlineChunks.map((chunk) => Number(chunk.to)),
      data: withData ? inlineChunks.map(({ data }) => binaryBytes(data)) : null,
    },
    blocks: blocks.map(toEntry),
  };
}

function toEntry({ id, n, from, to, bytes }: StoredBlockRef): BlockEntry {
  return { id: id.toHexString(), n, from: Number(from), to: Number(to), bytes };
}
