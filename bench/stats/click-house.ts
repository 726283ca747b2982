import { readFileSync } from 'node:fs';
import type { Connection } from 'mongoose';
import { ClickHouse, type ClickHouseOptions } from '../../src/engines/click-house/click-house';
import { ClickTable } from '../../src/engines/click-house/click-table';
import { ClickHomeRepository } from '../../src/clicks/store/click-home.repository';
import { MovedClicksRepository } from '../../src/clicks/store/moved-clicks.repository';
import { ClickMove } from '../../src/program/cli/copy-clicks';
import type { StatisticsResult } from '../../src/engines/click-engine/query/statistics-query';
import { TestClickHouse } from '../../test/support/click-house';
import { median } from '../support/load';
import type { Case } from './cases';
import { wrongRows } from './check';

const TICK_MS = 10;

interface Asking {
  ask(one: Case, rows: number): Promise<StatisticsResult>;
  stop(): Promise<void>;
}

export async function clickHouseFigures(
  connection: Connection,
  cases: readonly Case[],
  rounds: number,
  start: (options: ClickHouseOptions) => Promise<Asking>,
): Promise<Record<string, unknown>> {
  const server = await TestClickHouse.start();
  const options = server.options('bench');
  const client = new ClickHouse(options);
  const figures: Record<string, unknown> = {};
  try {
    const cpu = () => processMs(server.pid);
    const [begun, used] = [performance.now(), cpu()];
    const moved = await new ClickMove(
      new ClickHomeRepository(connection),
      new MovedClicksRepository(connection),
      new ClickTable(client),
      { tell: () => undefined, compare: () => Promise.resolve(0) },
    ).to('clickhouse');
    const clicks = moved?.clicks ?? 0;
    const seconds = (performance.now() - begun) / 1000;
    figures.clickhouse_moved_per_s = Math.round(clicks / seconds);
    figures.clickhouse_cpu_us_a_click = Math.round(((cpu() - used) * 1000) / clicks);
    await client.run('OPTIMIZE TABLE bench.clicks');
    const { data } = await client.ask<[number, number]>(
      "SELECT sum(bytes_on_disk), count() FROM system.parts WHERE active AND database = 'bench' AND table = 'clicks'",
    );
    const [bytes = 0, parts = 0] = data[0] ?? [];
    figures.clickhouse_bytes_a_click = Math.round((bytes / clicks) * 10) / 10;
    console.log(
      `ClickHouse: ${clicks} clicks moved in ${seconds.toFixed(0)} s, ${(bytes / clicks).toFixed(1)} bytes each, ${parts} parts`,
    );
    const asking = await start(options);
    let wrong = 0;
    for (const one of cases) {
      const cold = performance.now();
      wrong += wrongRows(one.tape, one.query, await asking.ask(one, Infinity));
      const coldMs = performance.now() - cold;
      const [times, cpus]: [number[], number[]] = [[], []];
      for (let i = 0; i < rounds; i += 1) {
        const [from, before] = [performance.now(), cpu()];
        await asking.ask(one, 1000);
        times.push(performance.now() - from);
        cpus.push(cpu() - before);
      }
      times.sort((a, b) => a - b);
      figures[`clickhouse_${one.name}_ms`] = Math.round(median(times));
      console.log(
        `ClickHouse, ${one.name}: median ${median(times).toFixed(0)} ms (processor ${median(cpus).toFixed(0)}), first ${coldMs.toFixed(0)} ms, ${wrong} wrong rows`,
      );
    }
    figures.clickhouse_wrong_rows = wrong;
    figures.clickhouse_rss_mb = Math.round(
      Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${server.pid}/status`, 'utf8'))?.[1]) / 1024,
    );
    await asking.stop();
  } finally {
    await client.close();
    await server.remove();
  }
  return figures;
}

function processMs(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
}
