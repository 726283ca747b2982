import { randomInt } from 'node:crypto';
import type {
  Breakdown,
  BreakdownHead,
  BreakdownPage,
  Dimension,
  OpenedResult,
  StatisticsResult,
} from './query/statistics-query';
import { EngineBusyError } from './chunk/engine.errors';

interface HeldLimits {
  readonly most: number;
  /** Approximate memory limit for all results; a single result may exceed the limit. */
  readonly bytes: number;
  /** A result is released if it is not read for this long. */
  readonly idleMs: number;
}

/** Maximum label characters per page; a page ends with the row that exceeds the limit. */
const MAX_CHARACTERS = 512 * 1024;

const MAX_RESULTS = 32;
const RESULT_IDLE_MS = 60_000;
const IDLE_CHECK_MS = 10_000;

interface Held {
  result: StatisticsResult;
  bytes: number;
  readAt: number;
}

/** Keeps results that are read page by page; limits their number, memory and idle time. */
export class OpenResults {
  private readonly held = new Map<number, Held>();
  /** Starts at a random number, so that a new thread does not accept a dead thread's cursors. */
  private lastCursorId = randomInt(2 ** 40);
  bytes = 0;

  private timer?: NodeJS.Timeout;

  constructor(
    private readonly limits: HeldLimits,
    private readonly now: () => number = Date.now,
  ) {}

  /** Creates results with default limits; idle results are released until `stop` is called. */
  static ofBytes(bytes: number): OpenResults {
    const results = new OpenResults({ most: MAX_RESULTS, bytes, idleMs: RESULT_IDLE_MS });
    results.timer = setInterval(() => results.dropIdle(), IDLE_CHECK_MS);
    return results;
  }

  stop(): void {
    clearInterval(this.timer);
  }

  open(result: StatisticsResult): OpenedResult {
    return { cursorId: this.hold(result), summary: result.summary, heads: breakdownHeads(result) };
  }

  /** Stores a result and returns the cursor ID for reading it. */
  hold(result: StatisticsResult): number {
    this.dropIdle();
    const bytes = resultBytes(result);
    const room = this.held.size < this.limits.most && this.bytes + bytes <= this.limits.bytes;
    if (!room && this.held.size > 0) throw new EngineBusyError();
    this.lastCursorId += 1;
    this.held.set(this.lastCursorId, { result, bytes, readAt: this.now() });
    this.bytes += bytes;
    return this.lastCursorId;
  }

  /** Returns up to `count` rows: fewer if labels are long, none after the last row. */
  rows(cursorId: number, dimension: Dimension, from: number, count: number): BreakdownPage {
    const held = this.held.get(cursorId);
    const breakdown = held?.result.breakdowns[dimension];
    if (held === undefined || breakdown === undefined) {
      throw new Error('The query results have expired');
    }
    held.readAt = this.now();
    return slice(breakdown, from, count);
  }

  release(cursorId: number): void {
    const held = this.held.get(cursorId);
    if (held === undefined) return;
    this.held.delete(cursorId);
    this.bytes -= held.bytes;
  }

  /** Releases idle results, so that a stalled reader does not occupy memory. */
  dropIdle(): void {
    const oldest = this.now() - this.limits.idleMs;
    for (const [cursorId, { readAt }] of this.held) if (readAt < oldest) this.release(cursorId);
  }
}

function breakdownHeads({ breakdowns }: StatisticsResult): OpenedResult['heads'] {
  return Object.fromEntries(
    Object.entries(breakdowns).map(([dimension, { size, clicksSum, visitorsSum }]) => [
      dimension,
      { size, clicksSum, visitorsSum } satisfies BreakdownHead,
    ]),
  );
}

function slice(
  { labels, clicks, visitors }: Breakdown,
  from: number,
  count: number,
): BreakdownPage {
  let characters = 0;
  let end = from;
  while (end < labels.length && end < from + count && characters < MAX_CHARACTERS) {
    characters += labels[end]?.length ?? 0;
    end += 1;
  }
  return {
    labels: labels.slice(from, end),
    clicks: clicks.slice(from, end),
    visitors: visitors.slice(from, end),
  };
}

function resultBytes({ breakdowns }: StatisticsResult): number {
  let bytes = 0;
  for (const { labels } of Object.values(breakdowns)) {
    for (const label of labels) bytes += 56 + label.length;
  }
  return bytes;
}
