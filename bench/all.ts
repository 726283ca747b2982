import { spawn } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { quick } from './support/flags';
import { machine } from './support/machine';
import { table } from './support/table';

// Runs every bench in its own process; writes all figures as a Markdown table and JSON to
// dist/bench.
const BENCHES = ['redirect', 'cold', 'mix', 'list', 'stats', 'timing'];
/** Arguments of quick runs; null = the bench has no quick run. */
const QUICK: Record<string, string[] | null> = { stats: ['--clicks', '20000'], timing: null };
const FOLDER = join(__dirname, '..');

async function main(): Promise<void> {
  const described = machine();
  const results: Record<string, unknown>[] = [];
  for (const name of BENCHES) {
    const script = join(__dirname, `${name}.js`);
    if (!existsSync(script) || (quick && QUICK[name] === null)) continue;
    console.log(`\n# ${name}`);
    results.push(await run(name, script));
  }
  const markdown = table(described, results);
  const json = JSON.stringify({ bench: 'all', machine: described, results });
  writeFileSync(join(FOLDER, 'results.md'), markdown);
  writeFileSync(join(FOLDER, 'results.json'), `${json}\n`);
  console.log(`\n${markdown}\n${json}`);
  if (results.some((result) => 'failed' in result)) process.exitCode = 1;
}

function run(name: string, script: string): Promise<Record<string, unknown>> {
  const child = spawn(
    process.execPath,
    [script, ...process.argv.slice(2), ...(quick ? (QUICK[name] ?? []) : [])],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  let output = '';
  child.stdout.on('data', (piece: Buffer) => {
    output += piece.toString();
    process.stdout.write(piece);
  });
  return new Promise((resolve) => {
    child.on('close', (code) => {
      const last = output.trimEnd().split('\n').at(-1) ?? '';
      resolve(
        code === 0 ? (JSON.parse(last) as Record<string, unknown>) : { bench: name, failed: code },
      );
    });
  });
}

main().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
