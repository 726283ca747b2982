import fc from 'fast-check';
import { clickArbitrary } from '../../../test/support/statistics/click.factory';
import { decodeChunk, encodeChunk } from '../../clicks/store/codec/chunk';
import type { Click } from '../../clicks/store/click';
import { Counting } from './counting';
import { STORED_DIMENSIONS } from '../dimensions';
import type { StatisticsQuery } from './statistics-query';
import type { StatisticsResult } from './statistics-result';
import type { Segment } from './segment';
import { toSegment } from './segment';
import { withoutReplaced, mergeIntoSegment } from './merged-segment';
import { partOf, visitorRanges } from './query-runner';
import { StringInterner } from './string-interner';

const QUERY: StatisticsQuery = {
  start: 0,
  end: 2 ** 41,
  dimensions: [...STORED_DIMENSIONS, 'time', 'short_code'],
  filters: {},
  buckets: { strategy: 'monthly', timezone: 'UTC' },
};
const aliases = new Map([
  ['even', 'even'],
  ['odd', 'odd'],
]);
const chunks = fc.array(fc.array(clickArbitrary, { minLength: 1, maxLength: 15 }), {
  minLength: 1,
  maxLength: 8,
});

function parts(groups: Click[][], interner: StringInterner) {
  return groups.map((clicks, i) => ({
    key: `block ${i}`,
    segment: toSegment(i % 2 === 0 ? 'even' : 'odd', decodeChunk(encodeChunk(clicks)), interner),
  }));
}

function result(interner: StringInterner, ...portions: Segment[][]): StatisticsResult {
  const counting = new Counting(QUERY, interner, aliases);
  for (const portion of portions) counting.add(portion);
  const counted = counting.result();
  // Of clicks in the same millisecond any may be the last one.
  const last = counted.summary.last && {
    ...counted.summary.last,
    browser: '',
    os: '',
    country: '',
  };
  return { ...counted, summary: { ...counted.summary, last } };
}

describe('A merged segment', () => {
  it('counts as its parts do, also when it has grown and parts have been replaced', () => {
    fc.assert(
      fc.property(
        chunks,
        fc.integer({ min: 1, max: 8 }),
        fc.func(fc.boolean()),
        (groups, cut, isCurrent) => {
          const interner = new StringInterner();
          const all = parts(groups, interner);
          const grown = mergeIntoSegment(all.slice(cut), mergeIntoSegment(all.slice(0, cut), null));
          expect(result(interner, [grown.segment])).toEqual(
            result(
              interner,
              all.map(({ segment }) => segment),
            ),
          );
          const current = all.filter(({ key }) => isCurrent(key));
          const alive = withoutReplaced(grown, new Set(current.map(({ key }) => key)));
          expect(alive.keys).toEqual(current.map(({ key }) => key));
          expect(result(interner, [alive.segment])).toEqual(
            result(
              interner,
              current.map(({ segment }) => segment),
            ),
          );
          const twice = withoutReplaced(
            mergeIntoSegment(all.slice(0, 1), alive),
            new Set(['block 0']),
          );
          expect(twice.segment.n).toBeGreaterThanOrEqual(groups[0]!.length);
        },
      ),
      { numRuns: 60 },
    );
  });
});

describe('Ranges of visitors', () => {
  it('add up to the whole', () => {
    fc.assert(
      fc.property(chunks, fc.integer({ min: 1, max: 5 }), (groups, count) => {
        const interner = new StringInterner();
        const segments = parts(groups, interner).map(({ segment }) => segment);
        const portions = visitorRanges(count).map((range) =>
          segments.flatMap((segment) => partOf(segment, range) ?? []),
        );
        expect(result(interner, ...portions)).toEqual(result(interner, segments));
      }),
      { numRuns: 60 },
    );
  });
});
