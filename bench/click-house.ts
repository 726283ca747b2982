import { performance } from 'node:perf_hooks';
import type { ChunkSource, FollowedLinks } from '../src/engines/click-engine/query/chunk-source';
import { OpenResults } from '../src/engines/click-engine/open-results';
import {
  Cancellation,
  type Dimension,
  type Source,
  type StatisticsQuery,
  STORED_DIMENSIONS,
} from '../src/engines/click-engine/query/statistics-query';
import { ClickHouse } from '../src/engines/click-house/click-house';
import { ClickHouseEngine } from '../src/engines/click-house/click-house.engine';
import { CLICKS, ClickTable } from '../src/engines/click-house/click-table';
import { TestClickHouse } from '../test/support/click-house';
import { size } from './support/flags';
import { median } from './support/load';

// Statistics in ClickHouse for more clicks than fit in memory. The server generates the rows: half
// for one link, half for an account's 1,000 links.

const DAY_MS = 86_400_000;
const NODE = 1;
const LINKS = 1000;
const ONE = 'f'.repeat(24);
const AT_ONCE = 5_000_000;

const clicks = size('clicks', 100_000_000, 200_000);
const rounds = size('rounds', 3, 1);
const start = Math.floor(Date.now() / DAY_MS) * DAY_MS - 30 * DAY_MS;
const linkId = (n: number): string => n.toString(16).padStart(24, '0');

/** SQL that generates rows `from` to `to`: 30 days, one visitor per hundred clicks. */
function rowsSql(table: ClickTable, from: number, to: number): string {
  const value = (salt: string) => `sipHash64(number, '${salt}')`;
  const one = (name: string, count: number) =>
    `concat('${name} ', toString(${value(name)} % ${count})) AS ${name}`;
  const other = `lower(substring(concat('000', hex(toUInt16(${value('link')} % ${LINKS}))), -4))`;
  const link = `if(number % 2, '${ONE}', concat('${'0'.repeat(20)}', ${other}))`;
  return (
    `INSERT INTO ${table.sqlName(CLICKS)} SELECT ${NODE} AS node, 1 AS batch, toUInt32(number) AS row, ` +
    `toFixedString(${link}, 24) AS link, ` +
    `sipHash64(number % ${Math.ceil(clicks / 100)}) AS visitor, toUInt32(0) AS visitor_rest, ` +
    `toUInt64(${start} + ${value('at')} % ${30 * DAY_MS}) AS at, toUInt32(${value('ms')} % 90) AS redirect_ms, ` +
    `toUInt8(1) AS slot, toUInt32(0) AS signals, ` +
    [one('browser', 30), one('os', 12), one('device', 3), one('country', 150)].join(', ') +
    `, ${[one('city', 5000), one('referrer', 2000), one('utm_source', 40)].join(', ')}` +
    `, ${[one('utm_medium', 8), one('utm_campaign', 200), one('variant', 2), one('bot', 5)].join(', ')}` +
    `, substring(country, -2) AS country_code FROM (SELECT number + ${from} AS number FROM numbers(${to - from}))`
  );
}

const links = Array.from({ length: LINKS }, (_, n) => ({
  ...{ id: linkId(n), alias: `b${n}`, marks: [] },
}));
const followed: FollowedLinks = {
  links,
  follower: { bytes: 0, changes: () => Promise.resolve({ ...followed, gone: [] }) },
};
const source = {
  readLinks: () => Promise.resolve(followed),
  readMarkedLinks: () => Promise.resolve([]),
  readMarks: () => Promise.resolve([]),
} as unknown as ChunkSource;

const ALL: readonly Dimension[] = [...STORED_DIMENSIONS.slice(0, 9), 'time'];
const QUESTIONS: readonly [string, Source, readonly Dimension[]][] = [
  ['one link, ten lists', { links: [{ id: ONE, alias: 'one' }] }, ALL],
  ['one link, browsers', { links: [{ id: ONE, alias: 'one' }] }, ['browser']],
  ['account, ten lists', { ownerId: 'ann' }, ALL],
  ['account, browsers', { ownerId: 'ann' }, ['browser']],
];

async function main(): Promise<void> {
  const server = await TestClickHouse.start();
  const client = new ClickHouse(server.options('bench'));
  const table = new ClickTable(client);
  const figures: Record<string, unknown> = { clicks };
  try {
    await table.ensure();
    const begun = performance.now();
    for (let from = 0; from < clicks; from += AT_ONCE) {
      await client.run(rowsSql(table, from, Math.min(clicks, from + AT_ONCE)));
    }
    await client.run(`INSERT INTO ${table.sqlName('batches')} VALUES (${NODE}, 1)`);
    const made = (performance.now() - begun) / 1000;
    const { data } = await client.ask<[number]>(
      `SELECT sum(bytes_on_disk) FROM system.parts WHERE active AND database = 'bench' AND table = '${CLICKS}'`,
    );
    figures.bytes_a_click = Math.round(((data[0]?.[0] ?? 0) / clicks) * 10) / 10;
    console.log(
      `${clicks} rows created in ${made.toFixed(0)} s, ${String(figures.bytes_a_click)} bytes each`,
    );
    const results = OpenResults.ofBytes(2 ** 28);
    const engine = new ClickHouseEngine(table, source, results, () => Promise.resolve());
    for (const [name, of, dimensions] of QUESTIONS) {
      const buckets = { strategy: 'daily', timezone: 'UTC' } as const;
      const query: StatisticsQuery = {
        ...{ start, end: start + 31 * DAY_MS, filters: {}, dimensions, buckets },
      };
      const times: number[] = [];
      let counted = 0;
      for (let i = 0; i < rounds; i += 1) {
        const from = performance.now();
        const { summary } = await engine.count(of, query, 1000, new Cancellation());
        counted = summary.clicks;
        times.push(performance.now() - from);
      }
      if (Math.abs(counted - clicks / 2) > 1) throw new Error(`${counted} clicks were counted`);
      figures[name] = Math.round(median(times.sort((a, b) => a - b)));
      console.log(`${name}: ${counted} clicks, median ${String(figures[name])} ms of ${rounds}`);
    }
    console.log(JSON.stringify({ bench: 'click-house', ...figures }));
    await engine.close();
  } finally {
    await server.remove();
  }
}

void main();
