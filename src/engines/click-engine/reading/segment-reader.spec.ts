import fc from 'fast-check';
import { clickArbitrary } from '../../../../test/support/shared/click.factory';
import { encodeChunk } from '../chunk/chunk';
import { EVERYTHING } from '../counting/counting-question';
import type { Segment, SegmentColumn } from './segment';
import { type ReadSegment, type ReadSelection, SegmentReader } from './segment-reader';

/** Returns all rows in a segment with their values, in any order. */
function rowsOf({ segment, values }: ReadSegment): string[] {
  const { visitors, visitorRows, sources, at, redirectMs, columns } = segment;
  const rows: string[] = [];
  for (let visitor = 0; visitor + 1 < visitorRows.length; visitor += 1) {
    for (let row = visitorRows[visitor]!; row < visitorRows[visitor + 1]!; row += 1) {
      const number = ({ ids, perVisitor }: SegmentColumn) => ids[perVisitor ? visitor : row]!;
      const named = Object.entries(columns).map(([name, column]) => [
        name,
        values[name as keyof typeof values]?.[number(column)],
      ]);
      rows.push(
        JSON.stringify([
          ...visitors.subarray(3 * visitor, 3 * visitor + 3),
          ...[number(sources), at && at.base + at.low[row]! + (at.high?.[row] ?? 0) * 2 ** 32],
          ...[redirectMs && redirectMs[row], named],
        ]),
      );
    }
  }
  return rows.sort();
}

function isOrdered({ visitors, visitorRows, n }: Segment): boolean {
  const names = Array.from({ length: visitors.length / 3 }, (_, visitor) =>
    [...visitors.subarray(3 * visitor, 3 * visitor + 3)]
      .map((word) => word.toString(16).padStart(8, '0'))
      .join(''),
  );
  const ascend = names.every((name, i) => i === 0 || name > names[i - 1]!);
  const rows = [...visitorRows];
  return (
    ascend &&
    rows[0] === 0 &&
    rows.at(-1) === n &&
    rows.every((row, i) => row >= (rows[i - 1] ?? 0))
  );
}

describe('Chunks read into a segment', () => {
  const chunks = fc.array(fc.array(clickArbitrary, { minLength: 1, maxLength: 9 }), {
    minLength: 1,
    maxLength: 7,
  });
  const selection = fc.record<ReadSelection>({
    at: fc.boolean(),
    redirectMs: fc.boolean(),
    values: fc.shuffledSubarray([...EVERYTHING.values]),
  });

  it('are the same for one call and for several calls', () => {
    fc.assert(
      fc.property(chunks, selection, fc.nat(9), (clicks, wanted, small) => {
        const stored = clicks.map((own, i) => ({
          ...{ source: i >> 1, n: own.length },
          data: new Uint8Array(encodeChunk(own)),
        }));
        const oneByOne = new SegmentReader(wanted, 0).read(stored);
        const gathered = new SegmentReader(wanted, small).read(stored);
        expect(rowsOf(gathered)).toEqual(rowsOf(oneByOne));
        expect(gathered.figures).toEqual(oneByOne.figures);
        expect(isOrdered(gathered.segment)).toBe(true);
      }),
      { numRuns: 150 },
    );
  });

  it('keep their order if they exceed the initial capacity', () => {
    const stored = Array.from({ length: 3000 }, (_, source) => {
      const visitor = ((source * 7919) % 1000).toString(16).padStart(24, '0');
      const [own] = fc.sample(clickArbitrary, { numRuns: 1, seed: source });
      return { source, n: 1, data: new Uint8Array(encodeChunk([{ ...own!, visitor }])) };
    });
    const gathered = new SegmentReader(EVERYTHING).read(stored);
    expect(rowsOf(gathered)).toEqual(rowsOf(new SegmentReader(EVERYTHING, 0).read(stored)));
    expect([gathered.segment.n, isOrdered(gathered.segment)]).toEqual([3000, true]);
  });
});
