import { VISITOR_WORDS } from '../../clicks/store/codec/visitor-order';
import { Cancellation } from './cancellation';
import { Counting } from './counting';
import type { Segment } from './segment';
import type { SegmentCache } from './segment-cache';
import { BlockGoneError, type SegmentLoader } from './segment-loader';
import type { ClickStoreState, StoredClicksRepository } from './segment-loader.repository';
import type { SegmentPlanner } from './segment-planner';
import type { LinkName, Source, StatisticsQuery } from './statistics-query';
import type { StatisticsResult } from './statistics-result';
import type { InternedColumn } from './string-interner';

/** Visitors whose hash begins with a word from `low` up to, not including, `high`. */
export interface VisitorRange {
  low: number;
  high: number;
}

const WORDS = 2 ** 32;

/** Cuts all visitors into ranges of about equal size: the hashes are evenly spread. */
export function visitorRanges(count: number): VisitorRange[] {
  return Array.from({ length: count }, (_, i) => ({
    low: Math.floor((i * WORDS) / count),
    high: Math.floor(((i + 1) * WORDS) / count),
  }));
}

/** A copy of the part of a segment that belongs to a range of visitors; null when there is none. */
export function partOf(segment: Segment, { low, high }: VisitorRange): Segment | null {
  const first = firstVisitor(segment, low);
  const end = firstVisitor(segment, high);
  const from = segment.visitorRows[first] ?? 0;
  const to = segment.visitorRows[end] ?? 0;
  if (from === to) return null;
  const columns = Object.fromEntries(
    Object.entries(segment.columns).map(([name, ids]) => [name, ids.slice(from, to)]),
  ) as Record<InternedColumn, Uint32Array>;
  const at = segment.at.slice(from, to);
  return {
    n: to - from,
    from: at.reduce((a, b) => Math.min(a, b)),
    to: at.reduce((a, b) => Math.max(a, b)),
    at,
    redirectMs: segment.redirectMs.slice(from, to),
    visitors: segment.visitors.slice(first * VISITOR_WORDS, end * VISITOR_WORDS),
    visitorRows: segment.visitorRows.slice(first, end + 1).map((row) => row - from),
    columns,
  };
}

function firstVisitor({ visitors }: Segment, word: number): number {
  let low = 0;
  let high = visitors.length / VISITOR_WORDS;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((visitors[middle * VISITOR_WORDS] ?? 0) < word) low = middle + 1;
    else high = middle;
  }
  return low;
}

const ATTEMPTS = 4;
/** More clicks than this are counted one range of visitors after the other. */
const CLICKS_AT_ONCE = 4_000_000;

/** Answers queries: reads what is needed and counts it. One query after the other. */
export class QueryRunner {
  private previous: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly repository: StoredClicksRepository,
    private readonly loader: SegmentLoader,
    private readonly cache: SegmentCache,
    private readonly planner: SegmentPlanner,
    private readonly clicksAtOnce = CLICKS_AT_ONCE,
  ) {}

  /** At most `rows` rows a breakdown; throws CancelledError once that is asked for. */
  run(
    source: Source,
    query: StatisticsQuery,
    rows = Infinity,
    cancellation = new Cancellation(),
  ): Promise<StatisticsResult> {
    const answer = this.previous.then(async () => {
      const counting = await this.answer(source, query, cancellation);
      return counting.result(rows);
    });
    this.previous = answer.catch(() => undefined);
    return answer;
  }

  private async answer(
    source: Source,
    query: StatisticsQuery,
    cancellation: Cancellation,
  ): Promise<Counting> {
    cancellation.check();
    if (this.cache.renew()) this.planner.clear();
    const links =
      'links' in source
        ? source.links
        : await this.repository.linksOf(source.ownerId, source.aliases);
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.count(sourceKeyOf(source), links, query, cancellation);
      } catch (error) {
        if (!(error instanceof BlockGoneError) || attempt === ATTEMPTS) throw error;
      }
    }
  }

  private async count(
    sourceKey: string,
    links: readonly LinkName[],
    query: StatisticsQuery,
    cancellation: Cancellation,
  ): Promise<Counting> {
    const stores = await this.loader.clickStoresOf(links, this.planner.heldKeys(sourceKey));
    const aliases = new Map(links.map(({ id, alias }) => [id, alias]));
    const counting = new Counting(query, this.cache.interner, aliases, cancellation);
    const clicks = stores.reduce((sum, { total }) => sum + total, 0);
    if (clicks <= this.clicksAtOnce) {
      counting.add(await this.planner.segments(sourceKey, stores, query, cancellation));
    } else await this.countInRanges(counting, stores, query, clicks, cancellation);
    return counting;
  }

  /** No visitor is in two ranges, so what they add up to is exact, in bounded memory. */
  private async countInRanges(
    counting: Counting,
    stores: readonly ClickStoreState[],
    query: StatisticsQuery,
    clicks: number,
    cancellation: Cancellation,
  ): Promise<void> {
    for (const range of visitorRanges(Math.ceil(clicks / this.clicksAtOnce))) {
      const parts: Segment[] = [];
      for await (const { segment } of this.loader.segmentsOf(stores, query)) {
        cancellation.check();
        const part = partOf(segment, range);
        if (part !== null) parts.push(part);
      }
      counting.add(parts);
    }
  }
}

/** The key under which memory holds the clicks of a source. */
function sourceKeyOf(source: Source): string {
  if ('links' in source) return source.links.map(({ id }) => id).join();
  return [source.ownerId, ...(source.aliases ?? [])].join(' ');
}
