import { VISITOR_WORDS } from '../ledger/visitor-order';
import type { Segment } from './segment';
import type { InternedColumn } from './vocabulary';

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
    Object.entries(segment.columns).map(([term, ids]) => [term, ids.slice(from, to)]),
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
