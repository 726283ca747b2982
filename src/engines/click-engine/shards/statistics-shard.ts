import { VISITOR_WORDS } from '../chunk/visitor-order';
import { Cancellation } from '../query/statistics-query';
import type { VisitorSpan } from '../counting/counting-loops';
import { keepSources } from '../reading/keep-sources';
import { type PackedChunks, unpacked } from '../reading/packed-chunks';
import { RangeCounter } from '../counting/range-counter';
import {
  mapColumns,
  renumbered,
  type Segment,
  segmentBytes,
  segmentPart,
  type VisitorRange,
} from '../reading/segment';
import { mergeSegments } from '../reading/segment-merge';
import {
  type ReadColumn,
  type ReadSelection,
  SegmentReader,
  type SourceFigures,
} from '../reading/segment-reader';
import type { CountingQuestion, PartialCount } from '../counting/counting-question';

export type ValueNumbers = Partial<Record<ReadColumn, Uint32Array>>;

/** Calls from the thread that runs queries to the shards. */
export interface ShardCalls {
  /** Decodes chunks and returns a segment for each range of visitors, or null if it is empty. */
  read: {
    request: {
      readonly chunks: PackedChunks;
      readonly selection: ReadSelection;
      readonly ranges: readonly VisitorRange[];
    };
    response: {
      readonly parts: readonly (Segment | null)[];
      readonly values: Partial<Record<ReadColumn, (string | null)[]>>;
      readonly figures: readonly SourceFigures[];
    };
  };
  /** Adds decoded clicks to a shard; returns the cached segments' memory. */
  takeSegment: {
    request: {
      readonly resident: number;
      readonly segment: Segment;
      readonly numbers: ValueNumbers;
    };
    response: number;
  };
  /** Merges added segments, and segments counted often; returns the cached segments' memory. */
  mergeTaken: { request: { readonly resident: number }; response: number };
  /** Keeps and renumbers selected sources' rows; returns the cached segments' memory. */
  keep: {
    request: {
      readonly resident: number;
      readonly kept: Uint8Array;
      readonly numbers: Uint32Array;
    };
    response: number;
  };
  drop: { request: { readonly resident: number }; response: undefined };
  count: {
    request: {
      readonly resident: number;
      readonly question: CountingQuestion;
      readonly cancelled: Int32Array;
    };
    response: PartialCount;
  };
}

export type ShardRequest<T extends keyof ShardCalls> = ShardCalls[T]['request'];
export type ShardResponse<T extends keyof ShardCalls> = ShardCalls[T]['response'];

export interface Shards {
  readonly count: number;
  /** @param handedOver the request's buffers to transfer instead of copying */
  call<T extends keyof ShardCalls>(
    shard: number,
    topic: T,
    request: ShardRequest<T>,
    handedOver?: readonly ArrayBuffer[],
  ): Promise<ShardResponse<T>>;
}

export function onAllShards<T>(
  { count }: Shards,
  call: (shard: number) => Promise<T>,
): Promise<T[]> {
  return Promise.all(Array.from({ length: count }, (_, shard) => call(shard)));
}

type Request<T extends keyof ShardCalls> = ShardCalls[T]['request'];
type Response<T extends keyof ShardCalls> = ShardCalls[T]['response'];

/** A shard merges its unmerged segments once they contain this many visitors in total. */
const VISITORS_AT_ONCE = 1_500_000;
/**
 * The small segment is merged into the large one when it exceeds this share of its rows, or once
 * queries have counted this share of visitors in it: by then, counting has cost as much as merging.
 */
const BESIDE = 0.1;
/** Share that applies while many clicks are being read. */
const BESIDE_WHILE_READING = 0.5;

/** A link's or account's cached clicks, for a range of visitors. */
interface Resident {
  /** Contains most rows; merging other segments into it copies all of them. */
  large: Segment | null;
  beside: Segment | null;
  /** Number of visitors in `beside` that queries have counted, added up over all queries. */
  countedBeside: number;
  taken: Segment[];
}

export class StatisticsShard {
  private readonly residents = new Map<number, Resident>();

  read({ chunks, selection, ranges }: Request<'read'>): Response<'read'> {
    const { segment, values, figures } = new SegmentReader(selection).read(unpacked(chunks));
    return { parts: ranges.map((range) => segmentPart(segment, range)), values, figures };
  }

  takeSegment({ resident, segment, numbers }: Request<'takeSegment'>): number {
    const held = this.ensureResident(resident);
    held.taken.push(withNumbers(segment, numbers));
    const visitors = held.taken.reduce((sum, part) => sum + countVisitors(part), 0);
    if (visitors > VISITORS_AT_ONCE) mergeResident(held, BESIDE_WHILE_READING);
    return residentBytes(held);
  }

  mergeTaken({ resident }: Request<'mergeTaken'>): number {
    const held = this.ensureResident(resident);
    const isWorthMerging = held.countedBeside > (held.large?.n ?? 0) * BESIDE;
    mergeResident(held, isWorthMerging ? 0 : BESIDE);
    return residentBytes(held);
  }

  keep({ resident, kept, numbers }: Request<'keep'>): number {
    const held = this.ensureResident(resident);
    mergeResident(held, BESIDE);
    held.large = held.large && keepSources(held.large, kept, numbers);
    held.beside = held.beside && keepSources(held.beside, kept, numbers);
    return residentBytes(held);
  }

  drop({ resident }: Request<'drop'>): undefined {
    this.residents.delete(resident);
    return undefined;
  }

  count({ resident, question, cancelled }: Request<'count'>): Response<'count'> {
    const held = this.ensureResident(resident);
    const counter = new RangeCounter(question, new Cancellation(cancelled));
    counter.add(visitorSpans(held.large, held.beside));
    held.countedBeside += held.beside === null ? 0 : countVisitors(held.beside);
    return counter.result();
  }

  private ensureResident(id: number): Resident {
    const known = this.residents.get(id);
    if (known !== undefined) return known;
    const created: Resident = { large: null, beside: null, countedBeside: 0, taken: [] };
    this.residents.set(id, created);
    return created;
  }
}

function withNumbers(segment: Segment, numbers: ValueNumbers): Segment {
  const columns = mapColumns(segment.columns, ({ ids, perVisitor }, name) => {
    const own = name === 'link' ? undefined : numbers[name];
    return { ids: own === undefined ? ids : renumbered(ids, own), perVisitor };
  });
  return { ...segment, columns };
}

function mergeResident(resident: Resident, share: number): void {
  const { large, beside, taken } = resident;
  const parts = [...(beside === null ? [] : [beside]), ...taken].filter(({ n }) => n > 0);
  resident.taken = [];
  if (parts.length === 0) return;
  const n = parts.reduce((sum, part) => sum + part.n, 0);
  if (large !== null && n <= large.n * share) {
    resident.beside = mergeSegments(parts);
  } else {
    resident.large = mergeSegments(large === null ? parts : [large, ...parts]);
    resident.beside = null;
    resident.countedBeside = 0;
  }
}

function countVisitors({ visitors }: Segment): number {
  return visitors.length / VISITOR_WORDS;
}

function residentBytes({ large, beside, taken }: Resident): number {
  return [large, beside, ...taken].reduce((sum, part) => sum + (part ? segmentBytes(part) : 0), 0);
}

/** Spans from two segments in visitor order; a visitor in both segments has a single number. */
export function visitorSpans(large: Segment | null, small: Segment | null): VisitorSpan[] {
  const [first, second] = large === null ? [small, null] : [large, small];
  if (first === null) return [];
  const count = countVisitors(first);
  if (second === null) return [{ segment: first, from: 0, to: count, offset: 1 }];
  const spans: VisitorSpan[] = [];
  const add = (segment: Segment, from: number, to: number, offset: number): void => {
    if (to > from) spans.push({ segment, from, to, offset });
  };
  let done = 0;
  let alone = 0;
  const others = countVisitors(second);
  for (let visitor = 0; visitor < others; visitor += 1) {
    const place = findVisitorPlace(first, second, visitor, done);
    if (place < 0) continue;
    // Visitors that occur only in the second segment are numbered after those of the first.
    add(second, alone, visitor, count + 1);
    alone = visitor + 1;
    add(first, done, place + 1, 1);
    add(second, visitor, visitor + 1, place + 1 - visitor);
    done = place + 1;
  }
  add(second, alone, others, count + 1);
  add(first, done, count, 1);
  return spans;
}

/** Returns the visitor's index in `within`, searching from `from`; negative if not found. */
function findVisitorPlace(within: Segment, source: Segment, visitor: number, from: number): number {
  let low = from;
  let high = countVisitors(within);
  while (low < high) {
    const middle = (low + high) >> 1;
    if (compare(within.visitors, middle, source.visitors, visitor) < 0) low = middle + 1;
    else high = middle;
  }
  const isThere =
    low < countVisitors(within) && compare(within.visitors, low, source.visitors, visitor) === 0;
  return isThere ? low : -1;
}

function compare(left: Uint32Array, l: number, right: Uint32Array, r: number): number {
  for (let word = 0; word < VISITOR_WORDS; word += 1) {
    const difference =
      (left[l * VISITOR_WORDS + word] ?? 0) - (right[r * VISITOR_WORDS + word] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}
