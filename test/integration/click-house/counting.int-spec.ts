import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { columnsOfClicks } from '../../../src/engines/click-engine/chunk/chunk-columns';
import { type Click, NO_VISITOR } from '../../../src/engines/click-engine/chunk/click';
import { OpenResults } from '../../../src/engines/click-engine/open-results';
import {
  AUDIENCES,
  type Breakdown,
  Cancellation,
  type Dimension,
  type StatisticsQuery,
  type StatisticsResult,
  STORED_DIMENSIONS,
} from '../../../src/engines/click-engine/query/statistics-query';
import { ClickHouse, type ClickHouseOptions } from '../../../src/engines/click-house/click-house';
import { ClickHouseEngine } from '../../../src/engines/click-house/click-house.engine';
import { ClickTable } from '../../../src/engines/click-house/click-table';
import { ClickWriter } from '../../../src/engines/click-house/click-writer';
import { aClick, clickArbitrary } from '../../support/shared/click.factory';
import { aQuery } from '../../support/shared/counted';
import { aLocalEngine, StoredClicksInMemory } from '../../support/shared/local-engine';
import { eventually } from '../../support/shared/eventually';
import { clickHouseInstalled, TestClickHouse } from '../../support/click-house';

const ALL: Dimension[] = [...STORED_DIMENSIONS, 'time', 'short_code', 'tag'];
const ONE = '0123456789abcdef00000001';
const TWO = '0123456789abcdef00000002';

/** Values from fixed lists or from visitors; '' for no value. */
const label = fc.constantFrom(
  'a',
  'B',
  'Unknown',
  'Direct',
  '(none)',
  'Ärger',
  '日本',
  "d'\\r\n",
  '🐎',
  '\uFB01',
  'a.b',
  'a_b',
);
const optional = fc.option(label);
const click: fc.Arbitrary<Click> = fc
  .record({
    ...{ browser: optional, os: optional, country: optional, countryCode: optional },
    ...{ city: optional, referrer: optional, variant: optional, botName: optional },
    ...{ utmSource: optional, utmMedium: optional, utmCampaign: optional },
    // Most visitors differ in their first eight bytes.
    visitor: fc.oneof(
      { weight: 60, arbitrary: fc.nat(20).map((n) => n.toString(16).padStart(2, 'f').repeat(12)) },
      { weight: 1, arbitrary: fc.constant(`${'f1'.repeat(8)}00000000`) },
      { weight: 5, arbitrary: fc.constant(NO_VISITOR) },
      { weight: 1, arbitrary: fc.constant('00000000000000000000000a') },
    ),
    at: fc.integer({ min: Date.UTC(2024, 8, 20), max: Date.UTC(2025, 5, 3) }),
  })
  .chain((fields) => clickArbitrary.map((drawn) => ({ ...drawn, ...fields })));

const query: fc.Arbitrary<StatisticsQuery> = fc
  .record({
    range: fc.tuple(
      fc.integer({ min: Date.UTC(2024, 8, 1), max: Date.UTC(2025, 6, 1) }),
      fc.integer({ min: 0, max: 200 * 86_400_000 }),
    ),
    filters: fc.dictionary(
      fc.constantFrom(...STORED_DIMENSIONS, 'tag'),
      fc.array(
        fc.oneof(label, fc.constantFrom('', 'qr', 'link', 'bot', 'human', 'spring', 'mobile')),
        { maxLength: 3 },
      ),
      { maxKeys: 2 },
    ),
    audience: fc.constantFrom(undefined, ...AUDIENCES),
    strategy: fc.constantFrom('hourly', 'daily', 'weekly', 'monthly'),
    timezone: fc.constantFrom(
      'UTC',
      'Europe/Berlin',
      'America/Havana',
      'Asia/Kathmandu',
      'Australia/Lord_Howe',
    ),
    underscored: fc.subarray(['referrer', 'bot'] as Dimension[]),
    merged: fc.boolean(),
  })
  .map(({ range: [start, length], strategy, timezone, ...rest }) =>
    aQuery({
      ...rest,
      ...{ start, end: start + length, dimensions: ALL, buckets: { strategy, timezone } },
    }),
  );

class TwoEngines {
  private readonly stored = new StoredClicksInMemory();
  private readonly table: ClickTable;
  private readonly writer: ClickWriter;
  private readonly engine: ClickHouseEngine;
  private batches = 0;

  constructor(options: ClickHouseOptions) {
    this.table = new ClickTable(new ClickHouse(options));
    this.writer = new ClickWriter(this.table);
    const results = new OpenResults({ most: 4, bytes: 2 ** 24, idleMs: 60_000 });
    const ready = () => this.table.ensure();
    this.engine = new ClickHouseEngine(this.table, this.stored.source, results, ready);
  }

  mark(linkId: string, marks: readonly string[]): void {
    this.stored.marks[linkId] = marks;
  }

  async record(linkId: string, clicks: readonly Click[]): Promise<void> {
    this.batches += 1;
    this.stored.addInline(linkId, clicks);
    const links = [{ linkId, chunks: [columnsOfClicks(clicks)] }];
    await this.writer.record({ node: 'feed0001', number: this.batches, links });
  }

  async expect(asked: StatisticsQuery, rows = Infinity): Promise<void> {
    const source = { ownerId: 'ann' };
    const { runner } = aLocalEngine(this.stored);
    const ours = await runner.run(source, asked, rows);
    const theirs = await this.engine.count(source, asked, rows, new Cancellation());
    expect(comparable(theirs)).toEqual(comparable(ours));
  }

  async close(): Promise<void> {
    await this.writer.close();
    await this.table.server.run(`DROP DATABASE ${this.table.server.database}`);
    await this.engine.close();
  }
}

/** Removes the last click, which is ambiguous if several share a timestamp. */
function comparable({ summary, breakdowns }: StatisticsResult) {
  const lists = Object.entries(breakdowns).map(([name, list]) => [name, plain(list)]);
  return {
    summary: { ...summary, last: summary.last?.at ?? null },
    lists: Object.fromEntries(lists) as object,
  };
}

function plain({ clicks, visitors, ...rest }: Breakdown) {
  return { ...rest, clicks: [...clicks], visitors: [...visitors] };
}

(clickHouseInstalled ? describe : describe.skip).each([
  ['one server', 1],
  ['two shards', 2],
])('Statistics in ClickHouse, %s', (_, count) => {
  let servers: TestClickHouse[];
  beforeAll(async () => {
    servers =
      count === 1 ? [await TestClickHouse.start()] : await TestClickHouse.startCluster(count);
  });
  afterAll(() => Promise.all(servers.map((server) => server.remove())));

  async function withEngines(use: (engines: TwoEngines) => Promise<void>): Promise<void> {
    const database = `t${randomBytes(6).toString('hex')}`;
    const cluster = count === 1 ? null : 'shards';
    const [options, ...others] = servers.map((server) => server.options(database, cluster));
    // Without a keeper, each shard's tables must be created separately.
    for (const other of others) await new ClickTable(new ClickHouse(other)).ensure();
    const engines = new TwoEngines(options!);
    try {
      await use(engines);
    } finally {
      await engines.close();
    }
  }

  it('equal those of the built-in engine, for any clicks and any query', async () => {
    const batch = fc.tuple(fc.boolean(), fc.array(click, { minLength: 1, maxLength: 30 }));
    const asked = fc.tuple(query, fc.constantFrom(0, 1, 2, 5, Infinity));
    const marks = fc.subarray(['spring', 'mail', '日本']);
    await fc.assert(
      fc.asyncProperty(
        fc.array(batch, { minLength: 1, maxLength: 4 }),
        fc.array(asked, { minLength: 1, maxLength: 4 }),
        ...[marks, marks],
        async (batches, questions, one, two) =>
          withEngines(async (engines) => {
            engines.mark(ONE, one);
            engines.mark(TWO, two);
            for (const [isFirst, clicks] of batches) {
              await engines.record(isFirst ? ONE : TWO, clicks);
            }
            for (const [question, rows] of questions) await engines.expect(question, rows);
          }),
      ),
      { numRuns: 8 },
    );
  });

  it('are correct for all time, for hours of several years and without clicks', async () => {
    await withEngines(async (engines) => {
      const times = [0, 1, 86_399_999, Date.UTC(1985, 3, 1), Date.UTC(2030, 1, 1), 2 ** 41];
      await engines.expect(aQuery({ dimensions: ['browser', 'short_code'] }));
      await engines.record(
        ONE,
        times.map((at) => aClick({ at, visitor: at.toString(16).padStart(24, '0') })),
      );
      const everything = { end: 2 ** 41, dimensions: ALL } as const;
      for (const timezone of ['UTC', 'Africa/Monrovia', 'Asia/Kolkata']) {
        const monthly = { strategy: 'monthly', timezone } as const;
        await engines.expect(aQuery({ ...everything, buckets: monthly }));
        const hourly = { strategy: 'hourly', timezone } as const;
        const start = Date.UTC(1984, 0, 1);
        const years = { start, end: start + 2 * 365 * 86_400_000 };
        await engines.expect(aQuery({ ...years, dimensions: ['time'], buckets: hourly }));
      }
      await engines.expect(aQuery({ ...everything, start: 5, end: 4, dimensions: ['os'] }));
      const before = { strategy: 'daily', timezone: 'UTC' } as const;
      await engines.expect(
        aQuery({ start: -86_400_000, end: 5, dimensions: ALL, buckets: before }),
      );
    });
  });

  it('stop on the server after all callers have disconnected', async () => {
    const direct = new ClickHouse(servers[0]!.options('default'));
    const gone = new AbortController();
    const asked = direct.ask('SELECT count() FROM system.numbers', { signal: gone.signal });
    const running = async () => {
      const { data } = await direct.ask<[number]>(
        "SELECT count() FROM system.processes WHERE query LIKE '%system.numbers%' AND query NOT LIKE '%processes%'",
      );
      return data[0]?.[0];
    };
    await eventually('it is counted', async () => (await running()) === 1);
    gone.abort();
    await expect(asked).rejects.toThrow('ClickHouse');
    await eventually('it is no longer', async () => (await running()) === 0);
    await direct.close();
  });
});
