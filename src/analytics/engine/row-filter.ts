import { VISITOR_WORDS } from '../../clicks/store/codec/visitor-order';
import { STORED_DIMENSIONS } from '../dimensions';
import type { Segment } from './segment';
import type { Criteria } from './statistics-query';
import type { InternedColumn, StringInterner } from './string-interner';

/** Criteria in the numbers of one interner. */
export interface RowFilter {
  start: number;
  end: number;
  /** For each filtered dimension 1 at the number of each value that passes. */
  columns: { name: InternedColumn; passing: Uint8Array; codes: Uint8Array | null }[];
}

/** A country is matched by its name or by its alpha-2 code; everything else as stored. */
export function rowFilter(
  { start, end, audience = 'all', filters }: Criteria,
  interner: StringInterner,
): RowFilter {
  const columns: RowFilter['columns'] = STORED_DIMENSIONS.flatMap((name) => {
    const values = filters[name];
    if (values === undefined) return [];
    const codes = name === 'country' ? interner.of('country_code').passing(values) : null;
    return [{ name, passing: interner.of(name).passing(values), codes }];
  });
  if (audience !== 'all') {
    const bots = interner.of('bot');
    const passing = audience === 'human' ? bots.passing([null]) : bots.passingAllBut(null);
    columns.push({ name: 'bot', passing, codes: null });
  }
  return { start, end, columns };
}

/** The rows of a segment that pass, as a segment; the same segment when all do. */
export function filterRows(segment: Segment, filter: RowFilter): Segment {
  const inside = segment.from >= filter.start && segment.to <= filter.end;
  if (inside && filter.columns.length === 0) return segment;
  const passes = new Uint8Array(segment.n).fill(1);
  if (!inside) {
    const { at } = segment;
    for (let row = 0; row < at.length; row += 1) {
      const time = at[row] ?? 0;
      if (time < filter.start || time > filter.end) passes[row] = 0;
    }
  }
  for (const { name, passing, codes } of filter.columns) {
    const ids = segment.columns[name];
    const codeIds = segment.columns.country_code;
    for (let row = 0; row < ids.length; row += 1) {
      if (passing[ids[row] ?? 0] === 1) continue;
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
    Object.entries(segment.columns).map(([name, ids]) => [name, pick(ids, new Uint32Array(n))]),
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
