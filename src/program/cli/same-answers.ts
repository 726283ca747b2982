import { randomInt } from 'node:crypto';
import {
  type CountingEngine,
  startCountingEngine,
} from '../../analytics/statistics-process/counting-engine';
import {
  AUDIENCES,
  Cancellation,
  type Dimension,
  type Source,
  type StatisticsQuery,
  type StatisticsResult,
  STORED_DIMENSIONS,
} from '../../engines/click-engine/query/statistics-query';
import type { Settings } from '../../config/settings';

const QUESTIONS = 50;
/** Links with more clicks take too long to read, so only their click counts are compared. */
const MAX_COMPARED_CLICKS = 2_000_000;
const THREADS = 2;
const LISTS = 2;
const COMPARED_DIMENSIONS: readonly Dimension[] = [...STORED_DIMENSIONS, 'time', 'short_code'];
const ZONES = ['UTC', 'Europe/Berlin', 'Asia/Kathmandu', 'America/New_York'] as const;
const COMPARED_STRATEGIES = ['daily', 'weekly', 'monthly'] as const;
const ALL_TIME: StatisticsQuery = {
  start: 0,
  end: Number.MAX_SAFE_INTEGER,
  filters: {},
  dimensions: [],
  buckets: null,
};

export interface StoredTotal {
  readonly linkId: string;
  readonly total: number;
  /** Clicks from visits that began at or before this time, in milliseconds, are deleted. */
  readonly since?: number;
}

/** Returns the number of queries. @throws Error that names the query whose results differ */
export async function compareAnswers(
  settings: Settings,
  mongoUri: string,
  links: readonly StoredTotal[],
): Promise<number> {
  const comparedLinks = links.filter(({ total }) => total > 0 && total <= MAX_COMPARED_CLICKS);
  if (comparedLinks.length === 0) return 0;
  const { memoryMb } = settings.statistics;
  const shared = { mongoUri, memoryMb, threads: THREADS };
  const stores = await startCountingEngine({ ...shared, clickHouse: null });
  const clickHouse = await startCountingEngine({ ...shared, clickHouse: settings.clickHouse });
  try {
    for (let question = 0; question < QUESTIONS; question += 2) {
      await compareTwice(pickRandom(comparedLinks), stores.engine, clickHouse.engine);
    }
  } finally {
    await stores.stop();
    await clickHouse.stop();
  }
  return QUESTIONS;
}

/** Compares all the link's clicks, and then a filtered subset. */
async function compareTwice(
  { linkId: id, since }: StoredTotal,
  stores: CountingEngine,
  clickHouse: CountingEngine,
): Promise<void> {
  const source: Source = { links: [{ id, alias: id, since }] };
  const count = (engine: CountingEngine, query: StatisticsQuery): Promise<StatisticsResult> =>
    engine.count(source, query, Infinity, new Cancellation());
  const { summary } = await count(stores, ALL_TIME);
  const [first, last] = [summary.first ?? 0, summary.last?.at ?? 0];
  const buckets = { strategy: pickRandom(COMPARED_STRATEGIES), timezone: pickRandom(ZONES) };
  const dimensions = new Set(Array.from({ length: LISTS }, () => pickRandom(COMPARED_DIMENSIONS)));
  const filtered = pickRandom(STORED_DIMENSIONS);
  const all = {
    ...ALL_TIME,
    start: first,
    end: last,
    buckets,
    dimensions: [...dimensions.add(filtered)],
  };
  const start = randomBetween(first, last);
  const labels = (await count(stores, all)).breakdowns[filtered]?.labels ?? [];
  const partial: StatisticsQuery = {
    ...all,
    start,
    end: randomBetween(start, last),
    filters: labels.length > 0 ? { [filtered]: [pickRandom(labels)] } : {},
    audience: pickRandom(AUDIENCES),
  };
  for (const query of [all, partial]) {
    const [ours, theirs] = [await count(stores, query), await count(clickHouse, query)];
    if (comparable(ours) === comparable(theirs)) continue;
    throw new Error(`Statistics of link ${id} differ for ${JSON.stringify(query)}`);
  }
}

/** Keeps only the last click's time, because two clicks may have the same time. */
function comparable({ summary, breakdowns }: StatisticsResult): string {
  const lists = COMPARED_DIMENSIONS.map((name) => {
    const { clicks = [], visitors = [], ...rest } = breakdowns[name] ?? {};
    return { ...rest, clicks: [...clicks], visitors: [...visitors] };
  });
  // Sorts the figures, because the engines return them in different orders.
  const figures = Object.entries({ ...summary, last: summary.last?.at ?? null }).sort();
  return JSON.stringify([figures, lists]);
}

/** Both bounds are inclusive. */
function randomBetween(low: number, high: number): number {
  return low + Math.floor(Math.random() * (high - low + 1));
}

function pickRandom<T>(values: readonly T[]): T {
  const value = values[randomInt(values.length)];
  if (value === undefined) throw new RangeError('There is no value to choose from');
  return value;
}
