// `npm start`: builds what is not built, then runs the service in this very process, so that
// signals reach it directly. With --build-only it stops after the build.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const root = join(import.meta.dirname, '..');
const dist = join(root, 'dist');
const main = join(dist, 'main.js');
/** Carries the time at which the last successful build began. */
const stamp = join(dist, '.built');
const CONFIGURATION = ['package.json', 'tsconfig.json', 'tsconfig.build.json'];

function fail(message) {
  console.error(message);
  process.exit(1);
}

/** The latest change of a file or folder; a folder's own time tells of removed files. */
function changedAt(path) {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined || path.endsWith('.spec.ts')) return 0;
  const inside = found.isDirectory() ? readdirSync(path) : [];
  return Math.max(found.mtimeMs, ...inside.map((name) => changedAt(join(path, name))));
}

function isBuilt() {
  // An image may ship the built service alone.
  if (!existsSync(join(root, 'src'))) return existsSync(main);
  const builtAt = statSync(stamp, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  const sources = ['src', ...CONFIGURATION].map((name) => changedAt(join(root, name)));
  return builtAt > Math.max(...sources);
}

function compiler() {
  try {
    return createRequire(import.meta.url).resolve('typescript/bin/tsc');
  } catch {
    return fail('TypeScript, which builds Curtail, is not installed. Run: npm install');
  }
}

function build() {
  const tsc = compiler();
  console.log('Building Curtail (once, and after changes of its sources) …');
  const begunAt = new Date();
  // Without a stamp dist may lack files that the compiler's own notes call up to date.
  if (!existsSync(stamp)) rmSync(join(dist, '.tsbuildinfo'), { force: true });
  const { status } = spawnSync(process.execPath, [tsc, '-p', 'tsconfig.build.json'], {
    cwd: root,
    stdio: 'inherit',
  });
  if (status !== 0) fail('The build failed.');
  writeFileSync(stamp, '');
  utimesSync(stamp, begunAt, begunAt);
}

if (!existsSync(join(root, 'node_modules'))) {
  fail('The packages that Curtail needs are not installed. Run: npm install');
}
if (!isBuilt()) build();
if (!process.argv.includes('--build-only')) {
  // Web workers are started from this path: they must run the service, not build it again.
  process.argv[1] = main;
  await import(pathToFileURL(main).href);
}
