import { randomInt } from 'node:crypto';
import type { Dimension } from './dimensions';
import { EngineBusyError } from './engine.errors';
import type {
  Breakdown,
  BreakdownHead,
  BreakdownPage,
  OpenedResult,
  StatisticsResult,
} from './statistics-result';

interface HeldLimits {
  /** Exports under way at one time. */
  readonly most: number;
  /** Memory of all of them, roughly; one alone may take more. */
  readonly bytes: number;
  /** Without a reader for so long, a result is released. */
  readonly idleMs: number;
}

/** Characters of labels in one answer; the row that passes it is the last. */
const MAX_CHARACTERS = 512 * 1024;

/** Files under way at one time, and how long nobody may read one. */
const MAX_RESULTS = 32;
const RESULT_IDLE_MS = 60_000;
const IDLE_CHECK_MS = 10_000;

interface Held {
  result: StatisticsResult;
  bytes: number;
  readAt: number;
}

/**
 * Uncut results that exports read page by page, so that no message is large. They are bounded in
 * number, bytes and time; who comes when there is no room left has to come again.
 */
export class OpenResults {
  private readonly held = new Map<number, Held>();
  /** From anywhere, so that a cursor of a thread that has died names nothing in the next one. */
  private lastCursorId = randomInt(2 ** 40);
  /** Memory of all of them. */
  bytes = 0;

  private timer?: NodeJS.Timeout;

  constructor(
    private readonly limits: HeldLimits,
    private readonly now: () => number = Date.now,
  ) {}

  /** With the usual limits, looking after itself until it is stopped. */
  static ofBytes(bytes: number): OpenResults {
    const results = new OpenResults({ most: MAX_RESULTS, bytes, idleMs: RESULT_IDLE_MS });
    results.timer = setInterval(() => results.dropIdle(), IDLE_CHECK_MS);
    return results;
  }

  stop(): void {
    clearInterval(this.timer);
  }

  /** Keeps a result; returns what stands before its rows. */
  open(result: StatisticsResult): OpenedResult {
    return { cursorId: this.hold(result), summary: result.summary, heads: breakdownHeads(result) };
  }

  /** Keeps a result; returns the id of the cursor that reads its rows. */
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

  /** Up to `count` rows from a position on; fewer where their labels are long, none at the end. */
  rows(cursorId: number, dimension: Dimension, from: number, count: number): BreakdownPage {
    const held = this.held.get(cursorId);
    const breakdown = held?.result.breakdowns[dimension];
    if (held === undefined || breakdown === undefined) {
      throw new Error('These result are no longer held');
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

  /** Lets go of what nobody has read for a while: a reader that stalls keeps no memory. */
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
