// `npm run bench [-- NAME]`: compiles the benches and runs one or all.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');
const [first = 'all', ...rest] = process.argv.slice(2);
const name = first.startsWith('-') ? 'all' : first;
// The compiled benches are outside the folder of their packages.
const env = { ...process.env, NODE_PATH: join(root, 'bench', 'node_modules') };
const run = (script, args) =>
  spawnSync(process.execPath, [script, ...args], { cwd: root, env, stdio: 'inherit' }).status ?? 1;

const compiled = run(join(root, 'node_modules/typescript/bin/tsc'), ['-p', 'tsconfig.bench.json']);
if (compiled !== 0) process.exit(compiled);
const script = join(root, 'dist/bench/bench', `${name}.js`);
if (!existsSync(script)) {
  console.error(`There is no bench called ${name}`);
  process.exit(2);
}
process.exit(run(script, rest));
