import { VISITOR_WORDS } from '../../clicks/store/codec/visitor-order';
import { STORED_DIMENSIONS, type StoredDimension } from '../dimensions';
import type { Segment } from './segment';
import type { InternedColumn, StringInterner } from './string-interner';

/** Which clicks are asked for: a time range, and for each filtered dimension its values. */
export interface Criteria {
  start: number;
  end: number;
  filters: Partial<Record<StoredDimension, readonly string[]>>;
}

/** Criteria against one vocabulary: for each filtered dimension, marks by value number. */
export interface RowFilter {
  start: number;
  end: number;
  marks: { term: InternedColumn; marks: Uint8Array; codes: Uint8Array | null }[];
}

/** A country is matched by its name or by its alpha-2 code; everything else as stored. */
export function rowFilter(
  { start, end, filters }: Criteria,
  vocabulary: StringInterner,
): RowFilter {
  const marks = STORED_DIMENSIONS.flatMap((term) => {
    const values = filters[term];
    if (values === undefined) return [];
    const codes = term === 'country' ? vocabulary.of('country_code').marks(values) : null;
    return [{ term, marks: vocabulary.of(term).marks(values), codes }];
  });
  return { start, end, marks };
}

/** The rows of a segment that pass, as a segment; the same segment when all do. */
export function filterRows(segment: Segment, filter: RowFilter): Segment {
  const inside = segment.from >= filter.start && segment.to <= filter.end;
  if (inside && filter.marks.length === 0) return segment;
  const passes = new Uint8Array(segment.n).fill(1);
  if (!inside) {
    const { at } = segment;
    for (let row = 0; row < at.length; row += 1) {
      const time = at[row] ?? 0;
      if (time < filter.start || time > filter.end) passes[row] = 0;
    }
  }
  for (const { term, marks, codes } of filter.marks) {
    const ids = segment.columns[term];
    const codeIds = segment.columns.country_code;
    for (let row = 0; row < ids.length; row += 1) {
      if (marks[ids[row] ?? 0] === 1) continue;
      if (codes === null || codes[codeIds[row] ?? 0] !== 1) passes[row] = 0;
    }
  }
  return keepRows(segment, passes);
}

/** The rows of a segment that are marked with 1; the same segment when all are. */
export function keepRows(segment: Segment, passes: Uint8Array): Segment {
  let n = 0;
  for (const pass of passes) n += pass;
  if (n === segment.n) return segment;
  const rows = new Uint32Array(n);
  let next = 0;
  for (let row = 0; row < passes.length; row += 1) if (passes[row] === 1) rows[next++] = row;
  const pick = <T extends Float64Array | Uint32Array>(from: T, into: T): T => {
    for (let i = 0; i < n; i += 1) into[i] = from[rows[i] ?? 0] ?? 0;
    return into;
  };
  const at = pick(segment.at, new Float64Array(n));
  const columns = Object.fromEntries(
    Object.entries(segment.columns).map(([term, ids]) => [term, pick(ids, new Uint32Array(n))]),
  ) as Record<InternedColumn, Uint32Array>;
  return {
    n,
    from: at.reduce((a, b) => Math.min(a, b), Infinity),
    to: at.reduce((a, b) => Math.max(a, b), -Infinity),
    at,
    redirectMs: pick(segment.redirectMs, new Uint32Array(n)),
    columns,
    constantPerVisitor: segment.constantPerVisitor,
    ...keepVisitors(segment, rows),
  };
}

function keepVisitors(segment: Segment, rows: Uint32Array) {
  const starts = new Uint32Array(Math.min(rows.length, segment.visitorRows.length - 1) + 1);
  const visitors = new Uint32Array((starts.length - 1) * VISITOR_WORDS);
  let kept = 0;
  let visitor = -1;
  for (let i = 0; i < rows.length; i += 1) {
    const row = rows[i] ?? 0;
    if (visitor >= 0 && row < (segment.visitorRows[visitor + 1] ?? 0)) continue;
    do visitor += 1;
    while (row >= (segment.visitorRows[visitor + 1] ?? Infinity));
    for (let word = 0; word < VISITOR_WORDS; word += 1) {
      const source = segment.visitors[visitor * VISITOR_WORDS + word] ?? 0;
      visitors[kept * VISITOR_WORDS + word] = source;
    }
    starts[kept++] = i;
  }
  starts[kept] = rows.length;
  return {
    visitors: visitors.subarray(0, kept * VISITOR_WORDS),
    visitorRows: starts.subarray(0, kept + 1),
  };
}
