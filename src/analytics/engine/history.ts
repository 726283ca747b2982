import { decodeChunk } from '../ledger/chunk';
import { CorruptChunkError } from '../ledger/chunk.errors';
import { mergeChunks } from '../ledger/merge-chunks';
import type { HistoryRepository } from './history.repository';
import { assertBalanced, type BlockEntry, type LedgerState, type LinkName } from './ledger-state';
import { type Segment, toSegment } from './segment';
import type { SegmentCache } from './segment-cache';

const LEDGERS_AT_ONCE = 500;
/** Ledgers are read whole when so few are asked for; beyond, only the changed ones are. */
const FEW = 8;
const BYTES_AT_ONCE = 32 * 1024 * 1024;

/** A block that the ledger named is gone: compaction was faster, the ledger is to be read again. */
export class BlockGoneError extends Error {}

export interface TimeSpan {
  start: number;
  end: number;
}

/** Clicks of links as segments: from memory where possible, from the database otherwise. */
export class History {
  constructor(
    private readonly repository: HistoryRepository,
    private readonly cache: SegmentCache,
  ) {}

  /** The ledgers of the links as they stand now, each proved to balance. */
  async ledgersOf(links: readonly LinkName[]): Promise<LedgerState[]> {
    const ledgers: LedgerState[] = [];
    for (let from = 0; from < links.length; from += LEDGERS_AT_ONCE) {
      const ids = links.slice(from, from + LEDGERS_AT_ONCE).map(({ id }) => id);
      ledgers.push(...(await this.read(ids)));
    }
    ledgers.forEach(assertBalanced);
    return ledgers;
  }

  /** The segments of a ledger that can hold clicks of the span, a few megabytes at a time. */
  async *segmentsOf(ledgers: readonly LedgerState[], span: TimeSpan): AsyncGenerator<Segment> {
    let wanted: { ledger: LedgerState; block: BlockEntry }[] = [];
    let bytes = 0;
    for (const ledger of ledgers) {
      const tail = this.tailOf(ledger);
      if (tail !== undefined && tail.to >= span.start && tail.from <= span.end) yield tail;
      for (const block of ledger.blocks) {
        if (block.to < span.start || block.from > span.end) continue;
        const known = this.cache.get(block.id);
        if (known !== undefined) {
          yield known;
          continue;
        }
        wanted.push({ ledger, block });
        bytes += block.bytes;
        if (bytes < BYTES_AT_ONCE) continue;
        yield* await this.fetch(wanted);
        wanted = [];
        bytes = 0;
      }
    }
    yield* await this.fetch(wanted);
  }

  private async read(ids: readonly string[]): Promise<LedgerState[]> {
    if (ids.length <= FEW) return this.repository.ledgers(ids);
    const heads = await this.repository.heads(ids);
    const changed = new Set(heads.filter((head) => !this.knowsTail(head)).map((h) => h.linkId));
    const whole = await this.repository.ledgers([...changed]);
    return [...heads.filter(({ linkId }) => !changed.has(linkId)), ...whole];
  }

  private knowsTail({ linkId, rev, tail }: LedgerState): boolean {
    return tail.length === 0 || this.cache.get(tailKey(linkId, rev)) !== undefined;
  }

  private tailOf({ linkId, rev, tail }: LedgerState): Segment | undefined {
    if (tail.length === 0) return undefined;
    const key = tailKey(linkId, rev);
    const known = this.cache.get(key);
    if (known !== undefined) return known;
    const chunks = tail.map(({ n, data }) => {
      if (data === undefined) throw new BlockGoneError();
      return decodeExactly(data, n);
    });
    const segment = toSegment(linkId, mergeChunks(chunks), this.cache.vocabulary);
    this.cache.put(key, segment);
    return segment;
  }

  private async fetch(
    wanted: readonly { ledger: LedgerState; block: BlockEntry }[],
  ): Promise<Segment[]> {
    if (wanted.length === 0) return [];
    const stored = await this.repository.blocks(wanted.map(({ block }) => block.id));
    return wanted.map(({ ledger, block }) => {
      const data = stored.get(block.id);
      if (data === undefined) throw new BlockGoneError();
      const chunk = decodeExactly(data, block.n);
      const segment = toSegment(ledger.linkId, chunk, this.cache.vocabulary);
      this.cache.put(block.id, segment);
      return segment;
    });
  }
}

function tailKey(linkId: string, rev: number): string {
  return `${linkId}@${rev}`;
}

function decodeExactly(data: Uint8Array, n: number) {
  const chunk = decodeChunk(data);
  if (chunk.n === n) return chunk;
  throw new CorruptChunkError(`a chunk of ${chunk.n} clicks is entered as ${n}`);
}
