import fc from 'fast-check';
import {
  type Breakdown,
  type Dimension,
  METRICS,
  type StatisticsResult,
} from '../../engines/click-engine/query/statistics-query';
import { listKey, toPoints, reportLists } from './report-lists';

const summary = {
  clicks: 0,
  visitors: 0,
  first: null,
  last: null,
  redirectMs: 0,
  withoutVisitor: 0,
  untimed: 0,
};

interface Row {
  label: string;
  clicks: number;
  visitors: number;
}

function breakdownOf(rows: readonly Row[], cut = 0): Breakdown {
  const sumOf = (name: 'clicks' | 'visitors') =>
    rows.reduce((sum, row) => sum + row[name], 0) + cut;
  return {
    labels: rows.map(({ label }) => label),
    clicks: Array.from(rows, ({ clicks }) => clicks),
    visitors: Array.from(rows, ({ visitors }) => visitors),
    size: rows.length,
    clicksSum: sumOf('clicks'),
    visitorsSum: sumOf('visitors'),
  };
}

function resultOf(breakdowns: StatisticsResult['breakdowns']): StatisticsResult {
  return { summary, breakdowns };
}

const textOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString();

const rows = fc.array(
  fc.record({
    label: fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('"', '\\', '\u2028', '😀')),
    clicks: fc.nat(4_000_000_000),
    visitors: fc.nat(4_000_000_000),
  }),
  { maxLength: 30 },
);

describe('The lists of a report', () => {
  it('equal the output of JSON.stringify for any labels', () => {
    const names: Dimension[] = ['referrer', 'browser'];
    fc.assert(
      fc.property(rows, rows, fc.nat(1000), fc.subarray([...METRICS]), (one, two, cut, metrics) => {
        const lists = [one, two];
        const breakdowns = Object.fromEntries(
          names.map((name, at) => [name, breakdownOf(lists[at] ?? [], cut)]),
        );
        const points = names.flatMap((name, at) =>
          metrics.map((metric) => {
            const sums = breakdownOf(lists[at] ?? [], cut);
            return [listKey(metric, name), toPoints(lists[at] ?? [], metric, name, sums)] as const;
          }),
        );
        const text = textOf(reportLists(resultOf(breakdowns), names, metrics));
        expect(text).toBe(JSON.stringify(Object.fromEntries(points)));
      }),
    );
  });

  it("contain percentages of all clicks, including values beyond the list's limit", () => {
    const list = breakdownOf([{ label: 'Berlin', clicks: 1, visitors: 1 }], 2);
    const text = textOf(reportLists(resultOf({ city: list }), ['city'], ['clicks']));
    expect(JSON.parse(text)).toEqual({
      clicks_by_city: [{ city: 'Berlin', clicks: 1, clicks_percentage: 33.33 }],
    });
  });

  it('use no more memory than the length of their JSON', () => {
    const list = breakdownOf([{ label: 'Berlin', clicks: 1, visitors: 1 }]);
    const bytes = reportLists(resultOf({ city: list }), ['city'], METRICS);
    expect(bytes.buffer.byteLength).toBe(bytes.length);
  });

  it('are empty without a dimension, and throw for a dimension that was not counted', () => {
    expect(textOf(reportLists(resultOf({}), [], METRICS))).toBe('{}');
    expect(() => reportLists(resultOf({}), ['city'], METRICS)).toThrow(RangeError);
  });
});
