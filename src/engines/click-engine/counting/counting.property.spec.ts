import fc from 'fast-check';
import { clickArbitrary } from '../../../../test/support/shared/click.factory';
import { aQuery, countClicks, rows } from '../../../../test/support/shared/counted';
import {
  naiveBreakdown,
  type NaiveClick,
  naiveSummary,
} from '../../../../test/support/shared/naive-count';
import { AUDIENCE_CLASSES } from '../chunk/click';
import { AUDIENCES, type Dimension, STORED_DIMENSIONS } from '../query/statistics-query';

const ALL: Dimension[] = [...STORED_DIMENSIONS, 'time', 'short_code', 'tag'];

describe('Counting', () => {
  it.each([
    ['held in memory', {}],
    ['by three shards', { shards: 3 }],
  ])(
    'has the same results as a count click by click, for any clicks and query, %s',
    async (_, memory) => {
      const value = fc.constantFrom(
        'a',
        'b',
        'Unknown',
        'Direct',
        '(none)',
        'Ärger',
        'mobile',
        '',
        'qr',
        'bot',
      );
      const query = fc.record({
        range: fc.tuple(fc.nat(2 ** 31 - 1), fc.integer({ min: 0, max: 2 ** 41 })),
        filters: fc.dictionary(
          fc.constantFrom(...STORED_DIMENSIONS),
          fc.array(value, { maxLength: 3 }),
          { maxKeys: 3 },
        ),
        audience: fc.constantFrom(undefined, ...AUDIENCES),
        timezone: fc.constantFrom('UTC', 'Europe/Berlin', 'America/New_York', 'Asia/Kolkata'),
      });
      const marks = fc.record({
        one: fc.subarray(['spring', 'autumn', '日本']),
        two: fc.subarray(['spring', 'mail']),
        only: fc.option(fc.subarray(['spring', 'mail', '(none)', 'unheard']), {
          nil: undefined,
          freq: 1,
        }),
      });
      const chunks = fc.array(fc.array(clickArbitrary, { minLength: 1, maxLength: 25 }), {
        minLength: 1,
        maxLength: 4,
      });
      await fc.assert(
        fc.asyncProperty(
          chunks,
          chunks,
          query,
          marks,
          async (one, two, { range, filters, audience, timezone }, { only, ...marks }) => {
            const asked = aQuery({
              start: Math.min(...range),
              end: Math.max(...range),
              filters: { ...filters, ...(only && { tag: only }) },
              audience,
              dimensions: ALL,
              buckets: { strategy: 'monthly', timezone },
            });
            const result = await countClicks({ one, two }, asked, Infinity, { ...memory, marks });
            const clicks: NaiveClick[] = [
              ...one.flat().map((click) => ({ ...click, alias: 'one', marks: marks.one })),
              ...two.flat().map((click) => ({ ...click, alias: 'two', marks: marks.two })),
            ];
            const { last, ...summary } = result.summary;
            expect({ ...summary, lastAt: last?.at ?? null }).toEqual(naiveSummary(clicks, asked));
            for (const dimension of ALL) {
              const met = rows(result, dimension).filter((row) => row.clicks > 0);
              expect(met).toEqual(naiveBreakdown(clicks, asked, dimension));
            }
          },
        ),
        { numRuns: 40 },
      );
    },
  );

  it('has class counts that add up to the total, for every link, day and value', async () => {
    const chunks = fc.array(fc.array(clickArbitrary, { minLength: 1, maxLength: 25 }), {
      minLength: 1,
      maxLength: 3,
    });
    await fc.assert(
      fc.asyncProperty(chunks, chunks, async (one, two) => {
        const buckets = { strategy: 'daily', timezone: 'Europe/Berlin' } as const;
        const query = aQuery({ end: 2 ** 31, dimensions: ALL, buckets });
        const clicksOf = async (audience: (typeof AUDIENCES)[number], dimension: Dimension) => {
          const result = await countClicks({ one, two }, { ...query, audience });
          return rows(result, dimension).map(({ label, clicks }) => [label, clicks] as const);
        };
        for (const dimension of ALL) {
          const sums = new Map<string, number>();
          for (const audience of AUDIENCE_CLASSES) {
            for (const [label, clicks] of await clicksOf(audience, dimension)) {
              sums.set(label, (sums.get(label) ?? 0) + clicks);
            }
          }
          expect(sums).toEqual(new Map(await clicksOf('all', dimension)));
        }
      }),
      { numRuns: 5 },
    );
  });

  it('has the same results as a count click by click for every time range and clock change', async () => {
    const DAYS_MS = 3 * 86_400_000;
    const chunk = fc.array(clickArbitrary, { minLength: 1, maxLength: 25 });
    const rule = fc.record({
      strategy: fc.constantFrom('hourly', 'daily', 'weekly', 'monthly'),
      timezone: fc.constantFrom('UTC', 'Europe/Berlin', 'America/New_York', 'Asia/Kolkata'),
      // Days before clock changes in Berlin and New York.
      start: fc.constantFrom('2026-10-24', '2026-10-31', '2026-03-28', '2026-03-07'),
    });
    await fc.assert(
      fc.asyncProperty(chunk, rule, async (drawn, { strategy, timezone, start }) => {
        const from = Date.parse(`${start}T09:41:07Z`);
        const clicks = drawn
          .map((click) => ({ ...click, at: from + (click.at % DAYS_MS) }))
          .sort((a, b) => a.at - b.at);
        const asked = aQuery({
          start: from,
          end: from + DAYS_MS,
          dimensions: ['time'],
          buckets: { strategy, timezone },
        });
        const counted = rows(await countClicks({ one: [clicks] }, asked), 'time');
        expect(new Set(counted.map(({ label }) => label)).size).toBe(counted.length);
        const met = counted.filter((row) => row.clicks > 0);
        const naive = naiveBreakdown(
          clicks.map((click) => ({ ...click, alias: 'one' })),
          asked,
          'time',
        );
        const byLabel = (a: { label: string }, b: { label: string }) =>
          a.label < b.label ? -1 : 1;
        expect(met.toSorted(byLabel)).toEqual(naive);
      }),
      { numRuns: 60 },
    );
  });
});
