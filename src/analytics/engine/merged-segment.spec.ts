import fc from 'fast-check';
import { clickArbitrary } from '../../../test/support/statistics/click.factory';
import { decodeChunk, encodeChunk } from '../../clicks/store/codec/chunk';
import type { Click } from '../../clicks/store/click';
import { Counting } from './counting';
import { STORED_DIMENSIONS } from '../dimensions';
import type { StatisticsResult, StatisticsQuestion } from './statistics-result';
import type { Segment } from './segment';
import { toSegment } from './segment';
import { aliveOf, mergeIntoSegment } from './merged-segment';
import { partOf, visitorRanges } from './query-runner';
import { StringInterner } from './string-interner';

const QUESTION: StatisticsQuestion = {
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

function parts(groups: Click[][], vocabulary: StringInterner) {
  return groups.map((clicks, i) => ({
    key: `block ${i}`,
    segment: toSegment(i % 2 === 0 ? 'even' : 'odd', decodeChunk(encodeChunk(clicks)), vocabulary),
  }));
}

function figures(vocabulary: StringInterner, ...portions: Segment[][]): StatisticsResult {
  const counting = new Counting(QUESTION, vocabulary, aliases);
  for (const portion of portions) counting.add(portion);
  const counted = counting.figures();
  // Of clicks in the same millisecond any may be the last one.
  const last = counted.summary.last && {
    ...counted.summary.last,
    browser: '',
    os: '',
    country: '',
  };
  return { ...counted, summary: { ...counted.summary, last } };
}

describe('A view', () => {
  it('counts as its parts do, also when it has grown and parts have been replaced', () => {
    fc.assert(
      fc.property(
        chunks,
        fc.integer({ min: 1, max: 8 }),
        fc.func(fc.boolean()),
        (groups, cut, isCurrent) => {
          const vocabulary = new StringInterner();
          const all = parts(groups, vocabulary);
          const grown = mergeIntoSegment(all.slice(cut), mergeIntoSegment(all.slice(0, cut), null));
          expect(figures(vocabulary, [grown.segment])).toEqual(
            figures(
              vocabulary,
              all.map(({ segment }) => segment),
            ),
          );
          const current = all.filter(({ key }) => isCurrent(key));
          const alive = aliveOf(grown, new Set(current.map(({ key }) => key)));
          expect(alive.keys).toEqual(current.map(({ key }) => key));
          expect(figures(vocabulary, [alive.segment])).toEqual(
            figures(
              vocabulary,
              current.map(({ segment }) => segment),
            ),
          );
          const twice = aliveOf(mergeIntoSegment(all.slice(0, 1), alive), new Set(['block 0']));
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
        const vocabulary = new StringInterner();
        const segments = parts(groups, vocabulary).map(({ segment }) => segment);
        const portions = visitorRanges(count).map((range) =>
          segments.flatMap((segment) => partOf(segment, range) ?? []),
        );
        expect(figures(vocabulary, ...portions)).toEqual(figures(vocabulary, segments));
      }),
      { numRuns: 60 },
    );
  });
});
