import type { NarrowNumbers } from '../chunk/narrow-numbers';
import { VISITOR_WORDS } from '../chunk/visitor-order';
import { mapColumns, renumbered, type Segment, type SegmentColumn } from './segment';

/** Keeps only rows from the flagged sources and replaces source numbers using `numbers`. */
export function keepSources(segment: Segment, kept: Uint8Array, numbers: Uint32Array): Segment {
  const { visitors, visitorRows, sources, at, redirectMs } = segment;
  const count = visitorRows.length - 1;
  const rows = new Uint32Array(segment.n);
  const visitorsKept = new Uint32Array(count);
  const starts = new Uint32Array(count + 1);
  let n = 0;
  let distinct = 0;
  for (let visitor = 0; visitor < count; visitor += 1) {
    const before = n;
    const end = visitorRows[visitor + 1] ?? 0;
    for (let row = visitorRows[visitor] ?? 0; row < end; row += 1) {
      const source = sources.ids[sources.perVisitor ? visitor : row] ?? 0;
      if (kept[source] === 1) rows[n++] = row;
    }
    if (n === before) continue;
    visitorsKept[distinct++] = visitor;
    starts[distinct] = n;
  }
  const pick = <T extends NarrowNumbers>(from: T, places: Uint32Array, length: number): T => {
    const into = from.slice(0, length) as T;
    for (let i = 0; i < length; i += 1) into[i] = from[places[i] ?? 0] ?? 0;
    return into;
  };
  const column = ({ ids, perVisitor }: SegmentColumn): SegmentColumn => ({
    ids: perVisitor ? pick(ids, visitorsKept, distinct) : pick(ids, rows, n),
    perVisitor,
  });
  const words = new Uint32Array(distinct * VISITOR_WORDS);
  for (let i = 0; i < distinct; i += 1) {
    const first = (visitorsKept[i] ?? 0) * VISITOR_WORDS;
    words.set(visitors.subarray(first, first + VISITOR_WORDS), i * VISITOR_WORDS);
  }
  return {
    n,
    visitors: words,
    visitorRows: starts.slice(0, distinct + 1),
    sources: renumberedColumn(column(sources), numbers),
    at: at && { ...at, low: pick(at.low, rows, n), high: at.high && pick(at.high, rows, n) },
    redirectMs: redirectMs && pick(redirectMs, rows, n),
    columns: mapColumns(segment.columns, column),
  };
}

function renumberedColumn({ ids, perVisitor }: SegmentColumn, numbers: Uint32Array): SegmentColumn {
  return { ids: renumbered(ids, numbers), perVisitor };
}
