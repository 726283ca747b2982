import { createWriteStream, rmSync } from 'node:fs';
import { once } from 'node:events';
import { performance } from 'node:perf_hooks';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { median } from '../support/load';
import { type ClickSource, OF_CLICK, OF_VISITOR, VALUES } from './clicks';

const THREADS = 2;
const ROWS_A_WRITE = 100_000;

/**
 * The same question to a column database on the same clicks: ten lists with clicks and exact
 * visitors. The values are texts, as there; the visitor is a number, which is in its favour.
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
  const names = [...OF_VISITOR, ...OF_CLICK];
  for (const name of names) {
    await connection.run(`CREATE TABLE v_${name} (id INTEGER, value VARCHAR)`);
    const rows = VALUES[name].map(
      (value, id) => `(${id}, ${value === null ? "'-'" : `'${value}'`})`,
    );
    await connection.run(`INSERT INTO v_${name} VALUES ${rows.join(', ')}`);
  }
  const values = names.map((name) => `v_${name}.value AS ${name}`).join(', ');
  const joins = names.map((name) => `JOIN v_${name} ON v_${name}.id = n.${name}`).join(' ');
  await connection.run(
    `CREATE TABLE clicks AS SELECT make_timestamp((${source.start} + n.ms) * 1000) AS clicked, ` +
      `n.visitor, ${values} FROM read_csv('${file}', header = true) n ${joins} ORDER BY n.ms`,
  );
  rmSync(file);
  const times: number[] = [];
  const cpu: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const begun = performance.now();
    const used = process.cpuUsage();
    for (const name of ["date_trunc('day', clicked)", ...names]) {
      await connection.runAndReadAll(
        `SELECT ${name} AS label, count(*) AS clicks, count(DISTINCT visitor) AS visitors ` +
          'FROM clicks GROUP BY label ORDER BY clicks DESC, label LIMIT 1000',
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
