import { createWriteStream, rmSync } from 'node:fs';
import { once } from 'node:events';
import { performance } from 'node:perf_hooks';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { median } from '../support/load';
import { type ClickSource, DAY_MS, OF_CLICK, OF_VISITOR } from './clicks';

const THREADS = 2;
const ROWS_A_WRITE = 100_000;
const LARGEST_FIRST = 'ORDER BY clicks DESC LIMIT 1000';

/**
 * Returns this query's median time in a column database with a good layout: values are numbers,
 * rows are sorted by visitor, a visitor's values are in a visitor table, and visitors are counted
 * by grouping twice, which is faster there than `count(DISTINCT)`.
 */
export async function duckMedian(
  source: ClickSource,
  folder: string,
  rounds: number,
): Promise<{ ms: number; cpuMs: number }> {
  const file = join(folder, 'clicks.csv');
  await writeNumbers(source, file);
  const instance = await DuckDBInstance.create(join(folder, 'clicks.duckdb'), {
    threads: String(THREADS),
  });
  const connection = await instance.connect();
  const day = `((${source.start} + ms) // ${DAY_MS})::INTEGER AS day`;
  await connection.run(
    `CREATE TABLE clicks AS SELECT visitor::INTEGER AS visitor, ${day}, ` +
      `${OF_CLICK.map((name) => `${name}::SMALLINT AS ${name}`).join(', ')} ` +
      `FROM read_csv('${file}', header = true) ORDER BY visitor, ms`,
  );
  await connection.run(
    `CREATE TABLE visitors AS SELECT DISTINCT visitor::INTEGER AS visitor, ` +
      `${OF_VISITOR.map((name) => `${name}::SMALLINT AS ${name}`).join(', ')} ` +
      `FROM read_csv('${file}', header = true) ORDER BY visitor`,
  );
  rmSync(file);
  const times: number[] = [];
  const cpu: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const begun = performance.now();
    const used = process.cpuUsage();
    await connection.run(
      'CREATE OR REPLACE TEMP TABLE counted AS ' +
        'SELECT visitor, count(*) AS clicks FROM clicks GROUP BY visitor',
    );
    for (const name of OF_VISITOR) {
      await connection.runAndReadAll(
        `SELECT ${name}, sum(clicks) AS clicks, count(*) AS visitors ` +
          `FROM counted JOIN visitors USING (visitor) GROUP BY ${name} ${LARGEST_FIRST}`,
      );
    }
    for (const name of ['day', ...OF_CLICK]) {
      await connection.runAndReadAll(
        `SELECT ${name}, sum(clicks) AS clicks, count(*) AS visitors ` +
          `FROM (SELECT ${name}, visitor, count(*) AS clicks FROM clicks GROUP BY ALL) ` +
          `GROUP BY ${name} ${LARGEST_FIRST}`,
      );
    }
    times.push(performance.now() - begun);
    const { user, system } = process.cpuUsage(used);
    cpu.push((user + system) / 1000);
  }
  connection.closeSync();
  instance.closeSync();
  return { ms: median(times), cpuMs: median(cpu) };
}

async function writeNumbers(source: ClickSource, file: string): Promise<void> {
  const { at, visitor, count, columns } = source.clicks;
  const out = createWriteStream(file);
  const names = [...OF_VISITOR, ...OF_CLICK];
  out.write(`ms,visitor,${names.join(',')}\n`);
  for (let from = 0; from < count; from += ROWS_A_WRITE) {
    let text = '';
    for (let row = from; row < Math.min(count, from + ROWS_A_WRITE); row += 1) {
      const who = visitor[row] ?? 0;
      text += `${at[row] ?? 0},${who}`;
      for (const name of OF_VISITOR) text += `,${source.ofVisitor[name][who] ?? 0}`;
      for (const name of OF_CLICK) text += `,${columns[name][row] ?? 0}`;
      text += '\n';
    }
    if (!out.write(text)) await once(out, 'drain');
  }
  out.end();
  await once(out, 'finish');
}
