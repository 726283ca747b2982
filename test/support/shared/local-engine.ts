import { ClickReader } from '../../../src/engines/click-engine/reading/click-reader';
import { QueryRunner } from '../../../src/engines/click-engine/query-runner';
import { ResidentCache } from '../../../src/engines/click-engine/resident/resident-cache';
import type {
  ChunkSource,
  ClickStoreState,
  FollowedLinks,
  InlineChunks,
  LinkFollower,
} from '../../../src/engines/click-engine/query/chunk-source';
import {
  type ShardCalls,
  type ShardRequest,
  type ShardResponse,
  type Shards,
  StatisticsShard,
} from '../../../src/engines/click-engine/shards/statistics-shard';
import { encodeChunk } from '../../../src/engines/click-engine/chunk/chunk';
import type { Click } from '../../../src/engines/click-engine/chunk/click';
import type { MarkedLink } from '../../../src/engines/click-engine/query/statistics-query';

/** Runs shards in this thread, with the production code. */
class LocalShards implements Shards {
  readonly called: (keyof ShardCalls)[] = [];
  chunksRead = 0;
  onCall: () => void = () => undefined;
  private readonly shards: StatisticsShard[];

  constructor(readonly count: number) {
    this.shards = Array.from({ length: count }, () => new StatisticsShard());
  }

  async call<T extends keyof ShardCalls>(
    shard: number,
    topic: T,
    request: ShardRequest<T>,
  ): Promise<ShardResponse<T>> {
    this.called.push(topic);
    this.onCall();
    // Copies the request, as message passing between threads does.
    const copy = structuredClone(request);
    if (topic === 'read')
      this.chunksRead += (copy as ShardCalls['read']['request']).chunks.ends.length;
    const handlers = this.shards[shard] as unknown as Record<
      T,
      (request: unknown) => ShardResponse<T>
    >;
    return Promise.resolve(handlers[topic](copy));
  }
}

/** In-memory clicks that tests change as the recorder and compaction do. */
export class StoredClicksInMemory {
  readonly stores = new Map<string, ClickStoreState>();
  private readonly blocksById = new Map<string, Uint8Array>();
  private lastBlock = 0;
  /** Link labels by link id, which is also the link's key. All links belong to one account. */
  readonly marks: Record<string, readonly string[]> = {};
  private readonly writes = new Map<string, number>();
  /** Makes the changes since a version unknown. */
  forgetsWrites = false;
  linksRead = 0;
  statesRead = 0;
  beforeStates: () => void = () => undefined;
  /** Called before blocks are read. */
  beforeBlocks: () => void = () => undefined;

  addInline(linkId: string, clicks: readonly Click[]): void {
    this.write(linkId, (store) => {
      const data = encodeChunk(clicks);
      const { from, to } = clickTimesOf(clicks);
      store.inlineChunks.n.push(clicks.length);
      store.inlineChunks.from.push(from);
      store.inlineChunks.to.push(to);
      store.inlineChunks.data?.push(data);
      cover(store, clicks);
    });
  }

  addBlock(linkId: string, clicks: readonly Click[]): string {
    this.write(linkId, () => undefined);
    return this.nameBlock(linkId, clicks);
  }

  compact(linkId: string, ids: readonly string[], clicks: readonly Click[]): string {
    this.change(linkId, (store) => {
      store.blocks = store.blocks.filter(({ id }) => !ids.includes(id));
      store.total -= clicks.length;
    });
    for (const id of ids) this.blocksById.delete(id);
    return this.nameBlock(linkId, clicks);
  }

  compactInline(linkId: string, clicks: readonly Click[]): string {
    this.change(linkId, (store) => {
      store.inlineChunks = noInlineChunks();
      store.total -= clicks.length;
    });
    return this.nameBlock(linkId, clicks);
  }

  dropInline(linkId: string, place: number): void {
    this.write(linkId, (store) => {
      const { n, from, to, data } = store.inlineChunks;
      store.total -= n[place] ?? 0;
      for (const figures of [n, from, to, data ?? []]) figures.splice(place, 1);
    });
  }

  get source(): ChunkSource {
    const known = (ids: readonly string[]) =>
      ids.flatMap((id) => structuredClone(this.stores.get(id)) ?? []);
    const states = (ids: readonly string[]) => {
      this.statesRead += ids.length;
      this.beforeStates();
      return known(ids);
    };
    return {
      readLinks: () => Promise.resolve(this.followedLinks(new Map())),
      readMarkedLinks: (which) => {
        const links = 'ids' in which ? which.ids.map((id) => this.linkOf(id)) : this.links;
        const isRequested = ({ marks }: MarkedLink) =>
          'ids' in which || marks.some((mark) => which.marks.includes(mark));
        return Promise.resolve(links.filter(isRequested));
      },
      readMarks: () => {
        const ids = [...new Set(Object.values(this.marks).flat())];
        return Promise.resolve(ids.map((id) => ({ id, label: id, key: id })));
      },
      versions: (ids) =>
        Promise.resolve(
          new Map(known(ids).map(({ linkId, revision, total }) => [linkId, { revision, total }])),
        ),
      heads: (ids) =>
        Promise.resolve(
          states(ids).map((state) => ({
            ...state,
            inlineChunks: { ...state.inlineChunks, data: null },
          })),
        ),
      stores: (ids) => Promise.resolve(states(ids)),
      blocks: (ids) => {
        this.beforeBlocks();
        const found = ids.flatMap((id) => {
          const data = this.blocksById.get(id);
          return data === undefined ? [] : [[id, data] as const];
        });
        return Promise.resolve(new Map(found));
      },
    };
  }

  private nameBlock(linkId: string, clicks: readonly Click[]): string {
    this.lastBlock += 1;
    const id = `block ${this.lastBlock}`;
    const data = encodeChunk(clicks);
    this.blocksById.set(id, data);
    this.change(linkId, (store) => {
      store.blocks.push({ id, n: clicks.length, ...clickTimesOf(clicks), bytes: data.length });
      cover(store, clicks);
    });
    return id;
  }

  private get links(): MarkedLink[] {
    return [...this.stores.keys()].map((id) => this.linkOf(id));
  }

  private linkOf(id: string): MarkedLink {
    return { id, alias: id, marks: this.marks[id] ?? [] };
  }

  private followedLinks(known: ReadonlyMap<string, string>): FollowedLinks {
    const stateOf = (link: MarkedLink) => JSON.stringify([link, this.writes.get(link.id)]);
    const now = new Map(this.links.map((link) => [link.id, stateOf(link)]));
    const links = this.links.filter(({ id }) => known.get(id) !== now.get(id));
    this.linksRead += links.length;
    const follower: LinkFollower = {
      bytes: 0,
      changes: () => {
        if (this.forgetsWrites) return Promise.resolve(null);
        const gone = [...now.keys()].filter((id) => !this.stores.has(id));
        return Promise.resolve({ ...this.followedLinks(now), gone });
      },
    };
    return { links, follower };
  }

  private write(linkId: string, how: (store: ClickStoreState) => void): void {
    this.writes.set(linkId, (this.writes.get(linkId) ?? 0) + 1);
    this.change(linkId, how);
  }

  private change(linkId: string, how: (store: ClickStoreState) => void): void {
    const made: ClickStoreState = {
      ...{ linkId, revision: 0, total: 0, from: Infinity, to: -Infinity },
      ...{ inlineChunks: noInlineChunks(), blocks: [] },
    };
    const store = this.stores.get(linkId) ?? made;
    this.stores.set(linkId, store);
    store.revision += 1;
    how(store);
  }
}

function noInlineChunks(): InlineChunks {
  return { n: [], from: [], to: [], data: [] };
}

function clickTimesOf(clicks: readonly Click[]): { from: number; to: number } {
  const times = clicks.map(({ at }) => at);
  return { from: Math.min(...times), to: Math.max(...times) };
}

function cover(store: ClickStoreState, clicks: readonly Click[]): void {
  store.total += clicks.length;
  for (const { at } of clicks) {
    store.from = Math.min(store.from, at);
    store.to = Math.max(store.to, at);
  }
}

const HELD_BYTES = 2 ** 26;

export function aLocalEngine(
  stored: { readonly source: ChunkSource },
  { heldBytes = HELD_BYTES, stateBytes = 2 ** 20, shards: count = 2 } = {},
) {
  const shards = new LocalShards(count);
  const cache = new ResidentCache(shards, heldBytes);
  const reader = new ClickReader(stored.source, stateBytes);
  const runner = new QueryRunner(reader, shards, cache);
  return { runner, reader, cache, shards };
}
