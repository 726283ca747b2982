import { VISITOR_WORDS, visitorOrder } from '../../clicks/store/codec/visitor-order';
import type { Runs } from './dimension-counter';
import type { Segment } from './segment';
import type { InternedColumn } from './string-interner';

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

type Column = Float64Array | Uint32Array;

/** Several segments as one: counting one is much quicker than counting many side by side. */
export function mergeSegments(segments: readonly Segment[]): Segment {
  const [only] = segments;
  if (segments.length === 1 && only !== undefined) return only;
  const runs = toRuns(segments);
  const n = segments.reduce((sum, segment) => sum + segment.n, 0);
  const columns = {} as Record<InternedColumn, Uint32Array>;
  for (const name of Object.keys(segments[0]?.columns ?? {}) as InternedColumn[]) {
    columns[name] = gather(
      runs,
      new Uint32Array(n),
      segments.map((segment) => segment.columns[name]),
    );
  }
  return {
    n,
    from: segments.reduce((least, { from }) => Math.min(least, from), Infinity),
    to: segments.reduce((most, { to }) => Math.max(most, to), -Infinity),
    at: gather(
      runs,
      new Float64Array(n),
      segments.map(({ at }) => at),
    ),
    redirectMs: gather(
      runs,
      new Uint32Array(n),
      segments.map(({ redirectMs }) => redirectMs),
    ),
    ...visitorsOf(runs, segments),
    columns,
  };
}

/** One column of all segments in the order of the runs. */
export function gather<T extends Column>(runs: Runs, into: T, sources: readonly T[]): T {
  let next = 0;
  for (let run = 0; run < runs.count; run += 1) {
    const source = sources[runs.segment[run] ?? 0];
    if (source === undefined) throw new RangeError('A run without a column');
    const end = runs.end[run] ?? 0;
    for (let row = runs.start[run] ?? 0; row < end; row += 1) into[next++] = source[row] ?? 0;
  }
  return into;
}

function visitorsOf(runs: VisitorRuns, segments: readonly Segment[]) {
  const visitors = new Uint32Array(runs.distinct * VISITOR_WORDS);
  const visitorRows = new Uint32Array(runs.distinct + 1);
  let rows = 0;
  for (let run = 0; run < runs.count; run += 1) {
    const number = runs.visitor[run] ?? 0;
    const source = segments[runs.segment[run] ?? 0]?.visitors;
    if (source === undefined) throw new RangeError('A run without a segment');
    const at = (runs.index[run] ?? 0) * VISITOR_WORDS;
    for (let word = 0; word < VISITOR_WORDS; word += 1) {
      visitors[(number - 1) * VISITOR_WORDS + word] = source[at + word] ?? 0;
    }
    rows += (runs.end[run] ?? 0) - (runs.start[run] ?? 0);
    visitorRows[number] = rows;
  }
  return { visitors, visitorRows };
}
