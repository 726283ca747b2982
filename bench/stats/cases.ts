import type {
  Source,
  StatisticsQuery,
} from '../../src/engines/click-engine/query/statistics-query';
import type { BenchLink } from './recording';
import type { Tape } from './tape';

const DAY_MS = 86_400_000;
const LINK_DIMENSIONS = [
  'time',
  'browser',
  'os',
  'device',
  'country',
  'city',
  'referrer',
  'utm_source',
  'utm_medium',
  'utm_campaign',
] as const;
const ACCOUNT_DIMENSIONS = [
  'time',
  'browser',
  'os',
  'country',
  'city',
  'referrer',
  'short_code',
] as const;

export interface Case {
  name: string;
  source: Source;
  query: StatisticsQuery;
  tape: Tape;
}

export function casesOf(
  start: number,
  hot: BenchLink,
  linkTape: Tape,
  ownerId: string,
  accountTape: Tape | null,
  tag: string,
): Case[] {
  const all: StatisticsQuery = {
    start,
    end: start + 30 * DAY_MS,
    dimensions: LINK_DIMENSIONS,
    filters: {},
    buckets: { strategy: 'daily', timezone: 'UTC' },
  };
  const one = { source: { links: [hot] }, tape: linkTape };
  const pages = ['https://site1.example', 'https://site2.example'];
  const filters = { browser: ['Browser 3'], referrer: pages };
  const first = { ...all, dimensions: ['browser'] as const };
  const later = { start: start + DAY_MS / 24 };
  const slice = { start: start + 10.25 * DAY_MS, end: start + 12.25 * DAY_MS };
  return [
    { name: 'all', ...one, query: all },
    { name: 'all but an hour', ...one, query: { ...all, ...later } },
    { name: 'country', ...one, query: { ...all, filters: { country: ['Country 7'] } } },
    { name: 'browser and two referrers', ...one, query: { ...all, filters } },
    { name: 'two days', ...one, query: { ...all, ...slice } },
    { name: 'browser alone', ...one, query: first },
    { name: 'referrer alone', ...one, query: { ...all, dimensions: ['referrer'] } },
    ...(accountTape === null
      ? []
      : [
          {
            name: 'account',
            source: { ownerId },
            tape: accountTape,
            query: { ...all, dimensions: ACCOUNT_DIMENSIONS },
          },
          {
            name: 'account, one tag',
            source: { ownerId },
            tape: accountTape,
            query: { ...all, dimensions: ACCOUNT_DIMENSIONS, filters: { tag: [tag] } },
          },
          {
            name: 'account by tag',
            source: { ownerId },
            tape: accountTape,
            query: { ...all, dimensions: ['tag' as const] },
          },
        ]),
  ];
}
