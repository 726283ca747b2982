import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import {
  assertBalanced,
  type BlockEntry,
  type ClickStoreState,
  type ClickStoreVersion,
  type InlineChunks,
  type ChunkSource,
} from '../query/chunk-source';
import { BlockGoneError } from '../chunk/engine.errors';

const CLICK_STORES_AT_ONCE = 500;
const VERSIONS_AT_ONCE = 2500;
/** Up to this many stores are read completely; otherwise only changed stores are read. */
const MAX_STORES_READ_WHOLE = 8;
/** Complete stores per read, each with up to about 16 KB of inline chunks. */
const WHOLE_AT_ONCE = 250;
const READ_BYTES_AT_ONCE = 8 * 1024 * 1024;

export interface TimeSpan {
  start: number;
  end: number;
}

/** A block's chunks, or a store's inline chunks that are not loaded yet. */
export interface KeyedChunks {
  key: string;
  linkId: string;
  isInline: boolean;
  chunks: { n: number; data: Uint8Array }[];
}

export interface HeldChunks {
  hasBlock(id: string): boolean;
  /** Returns the number of inline chunks already loaded; loading starts with the first. */
  countInlineChunks(store: ClickStoreState): number;
}

interface WantedBlock {
  readonly linkId: string;
  readonly block: BlockEntry;
}

export class ClickReader {
  /** Last known state of each store, without inline chunk bytes. */
  private readonly remembered: LRUCache<string, ClickStoreState>;

  constructor(
    readonly repository: ChunkSource,
    stateBytes: number,
  ) {
    this.remembered = new LRUCache({ maxSize: stateBytes, sizeCalculation: bytesOfState });
  }

  get bytes(): number {
    return this.remembered.calculatedSize;
  }

  /** Reads the stores and verifies that each store's chunks add up to its total. */
  async readClickStores(
    ids: readonly string[],
    onRead?: (stores: number) => void,
  ): Promise<ClickStoreState[]> {
    if (ids.length <= MAX_STORES_READ_WHOLE) return balanced(await this.repository.stores(ids));
    const stores: ClickStoreState[] = [];
    for (const slice of slices(ids, VERSIONS_AT_ONCE)) {
      for (const store of await this.current(slice)) stores.push(store);
      onRead?.(slice.length);
    }
    return stores;
  }

  /** Reads only stores whose revision has changed. */
  private async current(ids: readonly string[]): Promise<ClickStoreState[]> {
    const stores: ClickStoreState[] = [];
    let changed = ids;
    if (ids.some((id) => this.remembered.has(id))) {
      const versions = await this.repository.versions(ids);
      changed = ids.filter((id) => {
        const version = versions.get(id);
        if (version === undefined) return false;
        const known = this.remembered.get(id);
        if (known === undefined || !matchesVersion(known, version)) return true;
        stores.push(known);
        return false;
      });
    }
    for (const store of await this.readChangedStores(changed)) {
      this.remembered.set(store.linkId, withoutData(store));
      stores.push(store);
    }
    return stores;
  }

  /** Reads changed stores; up to 500 stores are read with their inline chunks (about 8 MB). */
  async readChangedStores(ids: readonly string[]): Promise<ClickStoreState[]> {
    if (ids.length <= CLICK_STORES_AT_ONCE) return balanced(await this.repository.stores(ids));
    const stores: ClickStoreState[] = [];
    for (const slice of slices(ids, CLICK_STORES_AT_ONCE)) {
      for (const store of balanced(await this.repository.heads(slice))) stores.push(store);
    }
    return stores;
  }

  /** If a store changes while its inline chunks are read, its entry in `stores` is replaced. */
  async *unknown(
    stores: ClickStoreState[],
    span: TimeSpan,
    held: HeldChunks,
  ): AsyncGenerator<KeyedChunks[]> {
    yield* this.unknownInline(stores, held);
    const wanted = stores.flatMap(({ linkId, blocks }) =>
      blocks
        .filter(({ id, from, to }) => to >= span.start && from <= span.end && !held.hasBlock(id))
        .map((block) => ({ linkId, block })),
    );
    const readings = [...someAtOnce(wanted)].map((batch) => () => this.fetch(batch));
    yield* oneAhead(readings);
  }

  private async *unknownInline(
    stores: ClickStoreState[],
    held: HeldChunks,
  ): AsyncGenerator<KeyedChunks[]> {
    const readings: (() => Promise<ClickStoreState[]>)[] = [];
    for (let from = 0; from < stores.length; from += WHOLE_AT_ONCE) {
      readings.push(() => this.readInline(stores, from, held));
    }
    for await (const batch of oneAhead(readings)) {
      const inline = batch.flatMap((store) => {
        const key = inlineKey(store);
        const chunks = chunksFrom(held.countInlineChunks(store), store.inlineChunks);
        if (key === null || chunks.length === 0) return [];
        return [{ key, linkId: store.linkId, isInline: true, chunks }];
      });
      if (inline.length > 0) yield inline;
      // Frees the inline chunks: for thousands of links, they take more memory than loaded clicks.
      for (const { inlineChunks } of batch) inlineChunks.data = null;
    }
  }

  private async readInline(
    stores: ClickStoreState[],
    from: number,
    held: HeldChunks,
  ): Promise<ClickStoreState[]> {
    const end = from + WHOLE_AT_ONCE;
    const places = new Map<string, number>();
    for (let at = from; at < Math.min(stores.length, end); at += 1) {
      const store = stores[at];
      if (store === undefined) continue;
      const { n, data } = store.inlineChunks;
      if (data === null && n.length > held.countInlineChunks(store)) places.set(store.linkId, at);
    }
    if (places.size === 0) return stores.slice(from, end);
    const whole = await this.repository.stores([...places.keys()]);
    // A link was deleted during the read, so the query is repeated without it.
    if (whole.length < places.size) throw new BlockGoneError();
    for (const store of whole) {
      assertBalanced(store);
      stores[places.get(store.linkId) ?? 0] = store;
    }
    return stores.slice(from, end);
  }

  private async fetch(wanted: readonly WantedBlock[]): Promise<KeyedChunks[]> {
    const stored = await this.repository.blocks(wanted.map(({ block }) => block.id));
    return wanted.map(({ linkId, block: { id, n } }) => {
      const data = stored.get(id);
      if (data === undefined) throw new BlockGoneError();
      return { key: id, linkId, isInline: false, chunks: [{ n, data }] };
    });
  }
}

function* slices<T>(items: readonly T[], size: number): Generator<T[]> {
  for (let from = 0; from < items.length; from += size) yield items.slice(from, from + size);
}

function matchesVersion(state: ClickStoreState, { revision, total }: ClickStoreVersion): boolean {
  return state.revision === revision && state.total === total;
}

function bytesOfState({ blocks, inlineChunks }: ClickStoreState): number {
  return 500 + blocks.length * 150 + inlineChunks.n.length * 24;
}

function withoutData(store: ClickStoreState): ClickStoreState {
  return { ...store, inlineChunks: { ...store.inlineChunks, data: null } };
}

function chunksFrom(first: number, { n, data }: InlineChunks): KeyedChunks['chunks'] {
  return n.slice(first).map((clicks, i) => ({
    n: clicks,
    data: data?.[first + i] ?? new Uint8Array(),
  }));
}

function balanced(stores: ClickStoreState[]): ClickStoreState[] {
  stores.forEach(assertBalanced);
  return stores;
}

/** Yields results in order; starts each read while the previous result is being processed. */
async function* oneAhead<T>(readings: readonly (() => Promise<T>)[]): AsyncGenerator<T> {
  let next: Promise<T> | null = null;
  try {
    for (const read of readings) {
      const before: Promise<T> | null = next;
      next = read();
      // Prevents an unhandled rejection if the consumer stops before awaiting this read.
      next.catch(() => undefined);
      if (before !== null) yield await before;
    }
    if (next !== null) yield await next;
  } finally {
    await next?.catch(() => undefined);
  }
}

function* someAtOnce(wanted: readonly WantedBlock[]): Generator<WantedBlock[]> {
  let batch: WantedBlock[] = [];
  let bytes = 0;
  for (const wantedBlock of wanted) {
    batch.push(wantedBlock);
    bytes += wantedBlock.block.bytes;
    if (bytes < READ_BYTES_AT_ONCE) continue;
    yield batch;
    [batch, bytes] = [[], 0];
  }
  if (batch.length > 0) yield batch;
}

export function clickStoreKeys(store: ClickStoreState): string[] {
  const inline = inlineKey(store);
  const blocks = store.blocks.map(({ id }) => id);
  return inline === null ? blocks : [...blocks, inline];
}

/** Null without inline chunks. Includes the block list, so compaction changes the key. */
export function inlineKey({ linkId, blocks, inlineChunks }: ClickStoreState): string | null {
  return inlineChunks.n.length === 0 ? null : `${linkId}@${blocksName(blocks)}`;
}

const blocksNames = new WeakMap<readonly BlockEntry[], string>();

function blocksName(blocks: readonly BlockEntry[]): string {
  const [only] = blocks;
  if (blocks.length < 2) return only?.id ?? '';
  const known = blocksNames.get(blocks);
  if (known !== undefined) return known;
  const ids = blocks.map(({ id }) => id).join();
  const name = createHash('sha256').update(ids).digest('base64');
  blocksNames.set(blocks, name);
  return name;
}
