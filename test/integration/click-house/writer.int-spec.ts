import { randomBytes } from 'node:crypto';
import { columnsOfClicks } from '../../../src/engines/click-engine/chunk/chunk-columns';
import { ClickHouse, type ClickHouseOptions } from '../../../src/engines/click-house/click-house';
import { ClickTable } from '../../../src/engines/click-house/click-table';
import { type ClickHouseBatch, ClickWriter } from '../../../src/engines/click-house/click-writer';
import { aClick } from '../../support/shared/click.factory';
import { clickHouseInstalled, TestClickHouse } from '../../support/click-house';
import { type ConnectionFault, HttpFaults } from '../../support/http-faults';

const NODE = 'feed0001';
const LINKS = ['0123456789abcdef00000001', '0123456789abcdef00000002'];
const FAULTS: readonly ConnectionFault[] = ['cut request', 'lose answer', 'late request'];

function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return (state >>> 8) / 2 ** 24;
  };
}

function batchOf(number: number, clicks: number): ClickHouseBatch {
  const links = LINKS.map((linkId, link) => ({
    linkId,
    chunks: [
      columnsOfClicks(
        Array.from({ length: clicks }, (_, i) =>
          // Three months make three partitions.
          aClick({ at: Date.UTC(2026, i % 3, 2) + number, redirectMs: link }),
        ),
      ),
    ],
  }));
  return { node: NODE, number, links };
}

function killable(options: ClickHouseOptions): [writer: ClickWriter, kill: () => void] {
  const server = new ClickHouse(options);
  const kill = (): void => {
    const dead = () => Promise.reject(new Error('The writer is dead'));
    Object.assign(server, { run: dead, ask: dead, insert: dead });
  };
  return [new ClickWriter(new ClickTable(server)), kill];
}

(clickHouseInstalled ? describe : describe.skip)('Batches of clicks', () => {
  let server: TestClickHouse;
  let shards: TestClickHouse[];
  beforeAll(async () => {
    server = await TestClickHouse.start();
    shards = await TestClickHouse.startCluster(2);
  });
  afterAll(() => Promise.all([server, ...shards].map((one) => one.remove())));

  async function places(count: number): Promise<ClickHouseOptions> {
    if (count === 1) return server.options();
    const database = `t${randomBytes(6).toString('hex')}`;
    const [first, second] = shards.map((shard) => shard.options(database, 'shards'));
    await new ClickTable(new ClickHouse(second!)).ensure();
    return first!;
  }

  async function stored(options: ClickHouseOptions): Promise<number[]> {
    const direct = new ClickHouse(options);
    const { data } = await direct.ask<number[]>(
      `SELECT count(), uniqExact(node, batch, row), uniqExact(batch) FROM ${direct.database}.clicks`,
    );
    const inlets = await direct.ask<[number]>(
      `SELECT count() FROM system.tables WHERE database = '${options.database}' AND name LIKE 'inlet%'`,
    );
    await direct.close();
    return [...(data[0] ?? []), inlets.data[0]?.[0] ?? -1];
  }

  it.each([
    ['one server', 1],
    ['two shards', 2],
  ])('are stored once, even if connections and writers fail: %s', async (_, count) => {
    const random = seeded(20_261_126);
    const direct = await places(count);
    let isSpoilt = false;
    const faults = await HttpFaults.before(Number(new URL(direct.url).port), () => ({
      fault: FAULTS[Math.floor(random() * FAULTS.length)] ?? 'cut request',
      after: isSpoilt ? Math.floor(random() * 12) : Infinity,
    }));
    const options = { ...direct, url: faults.url };
    let [writer, kill] = killable(options);
    await writer.record(batchOf(1, 5));
    isSpoilt = true;
    const BATCHES = 30;
    const CLICKS = 300;
    let failures = 0;
    for (let number = 2; number <= BATCHES; number += 1) {
      const batch = batchOf(number, CLICKS);
      for (let isDone = false; !isDone;) {
        const tried = writer.record(batch);
        if (random() < 0.15) {
          tried.catch(() => undefined);
          kill();
          [writer, kill] = killable(options);
          continue;
        }
        isDone = await tried.then(
          () => true,
          () => false,
        );
        if (!isDone) failures += 1;
      }
      if (random() < 0.2) await writer.record(batch).catch(() => undefined);
    }
    isSpoilt = false;
    await new ClickWriter(new ClickTable(new ClickHouse(direct))).record(batchOf(BATCHES + 1, 1));
    faults.close();
    expect(failures).toBeGreaterThan(10);
    const rows = 2 * (5 + (BATCHES - 1) * CLICKS + 1);
    const [all, once, batches] = await stored(direct);
    expect([all, once, batches]).toEqual([rows, rows, BATCHES + 1]);
  });

  it('are completed if some rows exist already, and counted afterwards', async () => {
    const options = server.options();
    const table = new ClickTable(new ClickHouse(options));
    const writer = new ClickWriter(table);
    await writer.record(batchOf(1, 30));
    await writer.close();
    const clicks = table.sqlName('clicks');
    // State after a server crash between two months.
    await table.server.run(`ALTER TABLE ${clicks} DROP PARTITION 202602`);
    await table.server.run(`TRUNCATE TABLE ${table.sqlName('batches')}`);
    const next = new ClickWriter(table);
    await next.record(batchOf(1, 30));
    await next.close();
    expect(await stored(options)).toEqual([60, 60, 1, 0]);
  });

  it('are stored after a server was killed, and wait for an unavailable one', async () => {
    const options = server.options();
    const writer = new ClickWriter(new ClickTable(new ClickHouse(options)));
    await writer.record(batchOf(1, 2000));
    const tried = writer.record(batchOf(2, 2000)).then(
      () => true,
      () => false,
    );
    await server.kill();
    if (!(await tried)) await expect(writer.record(batchOf(2, 2000))).rejects.toThrow('ClickHouse');
    await server.resume();
    await writer.record(batchOf(2, 2000));
    await writer.record(batchOf(3, 1));
    await writer.close();
    expect(await stored(options)).toEqual([8002, 8002, 3, 0]);
  });
});
