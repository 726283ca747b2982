import { visitorOrder } from '../ledger/visitor-order';
import type { Segment } from './segment';
import type { Runs } from './tally';

export interface VisitorRuns extends Runs {
  /** Which visitor of its segment a run belongs to. */
  readonly index: Uint32Array;
  readonly distinct: number;
}

/** Brings the rows of all segments into the order of their visitors, numbered after `before`. */
export function toRuns(segments: readonly Segment[], before = 0): VisitorRuns {
  const order = visitorOrder(segments.map(({ visitors }) => visitors));
  const count = order.list.length;
  const start = new Uint32Array(count);
  const end = new Uint32Array(count);
  const visitor = order.number;
  for (let run = 0; run < count; run += 1) {
    const rows = segments[order.list[run] ?? 0]?.visitorRows;
    if (rows === undefined) throw new RangeError('A run without a segment');
    const index = order.index[run] ?? 0;
    start[run] = rows[index] ?? 0;
    end[run] = rows[index + 1] ?? 0;
    visitor[run] = (visitor[run] ?? 0) + before;
  }
  const { list: segment, index: indexes, distinct } = order;
  return { count, segment, start, end, visitor, index: indexes, distinct };
}
