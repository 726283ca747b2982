import { narrowNumbers } from '../chunk/narrow-numbers';
import { VISITOR_WORDS } from '../chunk/visitor-order';
import { highParts, type Segment } from './segment';
import { mergeSegments } from './segment-merge';

/** Visitor, milliseconds after `BASE`, and the click's id. */
type Row = readonly [visitor: number, at: number, id: number];

const BASE = 1_700_000_000_000;
const DAY_MS = 86_400_000;

function sorted(rows: readonly Row[]): Row[] {
  return [...rows].sort(([a], [b]) => a - b);
}

/** Different visitors differ in their first word or in their last word. */
function wordsOf(visitor: number): [number, number, number] {
  return [Math.floor(visitor / 3) * 0x01_00_01, 7, visitor % 3];
}

function segmentOf(source: number, unsorted: readonly Row[]): Segment {
  const rows = sorted(unsorted);
  const visitors = [...new Set(rows.map(([visitor]) => visitor))];
  const starts = visitors.map((visitor) => rows.findIndex(([of]) => of === visitor));
  const first = Math.min(...rows.map(([, at]) => at));
  const span = Math.max(...rows.map(([, at]) => at)) - first;
  const high = highParts(rows.length, span);
  rows.forEach(([, at], row) => high?.fill(Math.floor((at - first) / 2 ** 32), row, row + 1));
  const ids = narrowNumbers(rows.length, Math.max(...rows.map(([, , id]) => id)));
  ids.set(rows.map(([, , id]) => id));
  return {
    n: rows.length,
    visitors: Uint32Array.from(visitors.flatMap(wordsOf)),
    visitorRows: Uint32Array.from([...starts, rows.length]),
    sources: { ids: narrowNumbers(visitors.length, source).fill(source), perVisitor: true },
    at: {
      ...{ base: BASE + first, span },
      ...{ low: Uint32Array.from(rows, ([, at]) => (at - first) % 2 ** 32), high },
    },
    redirectMs: Uint8Array.from(rows, ([, at]) => at % 5),
    columns: {
      browser: { ids: Uint8Array.from(visitors, (visitor) => visitor % 7), perVisitor: true },
      referrer: { ids, perVisitor: false },
    },
  };
}

/** Returns all rows in stored order. */
function rowsOf({ n, visitors, visitorRows, sources, at, redirectMs, columns }: Segment) {
  const rows: unknown[] = [];
  for (let visitor = 0; visitor + 1 < visitorRows.length; visitor += 1) {
    const from = visitor * VISITOR_WORDS;
    const words = [...visitors.subarray(from, from + VISITOR_WORDS)].join();
    for (let row = visitorRows[visitor] ?? 0; row < (visitorRows[visitor + 1] ?? 0); row += 1) {
      const of = (column: Segment['sources'] | undefined) =>
        column?.ids[column.perVisitor ? visitor : row];
      const time = (at?.base ?? 0) + (at?.low[row] ?? 0) + (at?.high?.[row] ?? 0) * 2 ** 32;
      rows.push(
        [
          words,
          time,
          of(sources),
          redirectMs?.[row],
          of(columns.browser),
          of(columns.referrer),
        ].join(' '),
      );
    }
  }
  expect(rows).toHaveLength(n);
  return rows;
}

/** Returns the rows that a merge must yield, sorted by visitor and then by segment. */
function expected(parts: readonly (readonly Row[])[]): string[] {
  const rows = parts.flatMap((part, source) => part.map((row) => ({ row, source })));
  return rows
    .sort((a, b) => a.row[0] - b.row[0] || a.source - b.source)
    .map(({ row: [visitor, at, id], source }) =>
      [wordsOf(visitor).join(), BASE + at, source, at % 5, visitor % 7, id].join(' '),
    );
}

function expectMerged(parts: readonly (readonly Row[])[]): Segment {
  const merged = mergeSegments(parts.map((part, source) => segmentOf(source, part)));
  // Jest compares long arrays slowly.
  expect(rowsOf(merged).join('\n')).toBe(expected(parts).join('\n'));
  return merged;
}

const some = (count: number, visitors: number, most = 200): Row[] =>
  Array.from({ length: count }, (_, i) => [(i * 7919) % visitors, i * 13, (i * 31) % most]);

describe('Merged segments', () => {
  it("contain all rows, sorted by visitor, and each visitor's rows in the segments' order", () => {
    const { columns } = expectMerged([some(50, 9), some(400, 60), some(300, 40), some(1, 1)]);
    expect(columns).toMatchObject({
      browser: { perVisitor: true },
      referrer: { perVisitor: false },
    });
  });

  it('can be created from any number of segments, even if a visitor is in only one of them', () => {
    expectMerged([some(60, 12), some(60, 90)]);
    expectMerged([some(60, 90), some(60, 12)]);
  });

  it('use the width of the widest segment', () => {
    expectMerged([some(300, 20), some(600, 50, 500), some(20, 3, 5)]);
  });

  it('are created in slices, with a separate slice for a visitor with very many rows', () => {
    const heavy = (visitor: number, count: number): Row[] =>
      Array.from({ length: count }, (_, i) => [visitor, i, i % 300]);
    const mixed = [...some(30, 10), ...heavy(11, 50_000), ...heavy(12, 50_000), ...some(9, 40)];
    expectMerged([mixed, [...heavy(0, 70_000), ...heavy(12, 40_000)], heavy(39, 80_000)]);
  });

  it('keep times that are more than 50 days apart', () => {
    const late = some(40, 10).map(([visitor, at, id]): Row => [visitor, at + 60 * DAY_MS, id]);
    const apart = [...some(20, 10), ...late];
    expectMerged([some(40, 10), late, some(10, 3)]);
    expectMerged([apart, some(40, 10), apart]);
  });

  it('combine a visitor in more lists than insertion sort handles', () => {
    expectMerged(Array.from({ length: 300 }, (_, i) => some(2, 1 + (i % 4))));
  });
});
