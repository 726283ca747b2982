import { decodeChunk } from '../../clicks/store/codec/chunk';
import { mergeChunks } from '../../clicks/store/codec/merge-chunks';
import type { StoredClicksRepository } from './segment-loader.repository';
import { assertBalanced, type BlockEntry, type ClickStoreState } from './segment-loader.repository';
import { type Segment, toSegment } from './segment';
import type { SegmentCache } from './segment-cache';
import type { KeyedSegment } from './merged-segment';
import type { LinkName } from './statistics-query';

const CLICK_STORES_AT_ONCE = 500;
/** Click stores are read whole when so few are asked for; beyond, only the changed ones are. */
const FEW = 8;
const BYTES_AT_ONCE = 32 * 1024 * 1024;

/** A block that the click store named is gone: compaction was faster, it is to be read again. */
export class BlockGoneError extends Error {}

export interface TimeSpan {
  start: number;
  end: number;
}

/** Clicks of links as segments: from memory where possible, from the database otherwise. */
export class SegmentLoader {
  constructor(
    private readonly repository: StoredClicksRepository,
    private readonly cache: SegmentCache,
  ) {}

  /**
   * The stores of the links as they stand now, each proved to balance. Inline chunks
   * whose keys are in `held` are in memory already and need not be read.
   */
  async clickStoresOf(
    links: readonly LinkName[],
    held: ReadonlySet<string> = new Set(),
  ): Promise<ClickStoreState[]> {
    const stores: ClickStoreState[] = [];
    for (let from = 0; from < links.length; from += CLICK_STORES_AT_ONCE) {
      const ids = links.slice(from, from + CLICK_STORES_AT_ONCE).map(({ id }) => id);
      for (const store of await this.read(ids, held)) stores.push(store);
    }
    stores.forEach(assertBalanced);
    return stores;
  }

  /** Keys of everything that the click store consists of: its blocks, and its inline chunks as they are now. */
  keysOf({ linkId, revision, inlineChunks, blocks }: ClickStoreState): string[] {
    const keys = blocks.map(({ id }) => id);
    return inlineChunks.length === 0 ? keys : [...keys, inlineKey(linkId, revision)];
  }

  /** Lets go of segments that are held elsewhere. */
  forget(keys: readonly string[]): void {
    for (const key of keys) this.cache.drop(key);
  }

  /**
   * The segments of stores that can hold clicks of the span, except those with the given keys;
   * what is not in memory is fetched a few megabytes at a time.
   */
  async *segmentsOf(
    stores: readonly ClickStoreState[],
    span: TimeSpan,
    except: ReadonlySet<string> = new Set(),
  ): AsyncGenerator<KeyedSegment> {
    let wanted: { store: ClickStoreState; block: BlockEntry }[] = [];
    let bytes = 0;
    for (const store of stores) {
      const key = inlineKey(store.linkId, store.revision);
      const inline = except.has(key) ? undefined : await this.inlineOf(store);
      if (inline !== undefined && inline.to >= span.start && inline.from <= span.end) {
        yield { key, segment: inline };
      }
      for (const block of store.blocks) {
        if (block.to < span.start || block.from > span.end || except.has(block.id)) continue;
        const known = this.cache.get(block.id);
        if (known !== undefined) {
          yield { key: block.id, segment: known };
          continue;
        }
        wanted.push({ store, block });
        bytes += block.bytes;
        if (bytes < BYTES_AT_ONCE) continue;
        yield* this.fetch(wanted);
        wanted = [];
        bytes = 0;
      }
    }
    yield* this.fetch(wanted);
  }

  private async read(
    ids: readonly string[],
    held: ReadonlySet<string>,
  ): Promise<ClickStoreState[]> {
    if (ids.length <= FEW) return this.repository.stores(ids);
    const heads = await this.repository.heads(ids);
    const changed = new Set(
      heads.filter((head) => !this.knowsInline(head, held)).map((h) => h.linkId),
    );
    const whole = await this.repository.stores([...changed]);
    return [...heads.filter(({ linkId }) => !changed.has(linkId)), ...whole];
  }

  private knowsInline(
    { linkId, revision, inlineChunks }: ClickStoreState,
    held: ReadonlySet<string>,
  ): boolean {
    const key = inlineKey(linkId, revision);
    return inlineChunks.length === 0 || held.has(key) || this.cache.get(key) !== undefined;
  }

  private async inlineOf(store: ClickStoreState): Promise<Segment | undefined> {
    const { linkId, revision, inlineChunks } = store;
    if (inlineChunks.length === 0) return undefined;
    const key = inlineKey(linkId, revision);
    const known = this.cache.get(key);
    if (known !== undefined) return known;
    const whole = inlineChunks.some(({ data }) => data === undefined)
      ? await this.again(store)
      : store;
    const chunks = whole.inlineChunks.map(({ n, data }) =>
      decodeChunk(data ?? new Uint8Array(), n),
    );
    const segment = toSegment(linkId, mergeChunks(chunks), this.cache.interner);
    this.cache.put(key, segment);
    return segment;
  }

  /** The same store with the bytes of its inline chunks, which memory has let go of meanwhile. */
  private async again({ linkId, revision }: ClickStoreState): Promise<ClickStoreState> {
    const [whole] = await this.repository.stores([linkId]);
    if (whole?.revision !== revision) throw new BlockGoneError();
    return whole;
  }

  /** One after the other, so that who counts can stop between two of them. */
  private async *fetch(
    wanted: readonly { store: ClickStoreState; block: BlockEntry }[],
  ): AsyncGenerator<KeyedSegment> {
    if (wanted.length === 0) return;
    const stored = await this.repository.blocks(wanted.map(({ block }) => block.id));
    for (const { store, block } of wanted) {
      const data = stored.get(block.id);
      if (data === undefined) throw new BlockGoneError();
      const chunk = decodeChunk(data, block.n);
      const segment = toSegment(store.linkId, chunk, this.cache.interner);
      this.cache.put(block.id, segment);
      yield { key: block.id, segment };
    }
  }
}

function inlineKey(linkId: string, revision: number): string {
  return `${linkId}@${revision}`;
}
