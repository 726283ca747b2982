// `npm start`: builds what is not built, then runs the service in this very process, so that
// signals reach it directly. With --build-only it stops after the build; `npm install` does that
// already (script "prepare"), so that the first start has nothing to wait for.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL, URL } from 'node:url';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';

const root = fileURLToPath(new URL('..', import.meta.url));
const main = join(root, 'dist', 'main.js');
/** Carries the time at which the last successful build began. */
const stamp = join(root, 'dist', '.built');
const SOURCES = ['src', 'package.json', '.swcrc', 'nest-cli.json', 'tsconfig.build.json'];
const NEST = join(root, 'node_modules', '@nestjs', 'cli', 'bin', 'nest.js');
const READER = join(root, 'node_modules', '@scalar', 'api-reference');
const SWC = join(root, 'node_modules', '@swc', 'cli');

function fail(message) {
  console.error(message);
  process.exit(1);
}

/** Said here as well as in the service: an older Node fails on the build tools with a stack trace. */
function checkNode() {
  const { engines } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const needed = engines.node.replace('>=', '');
  const [major, minor] = needed.split('.').map(Number);
  const [ownMajor, ownMinor] = process.versions.node.split('.').map(Number);
  if (ownMajor > major || (ownMajor === major && ownMinor >= minor)) return;
  fail(
    `Curtail needs Node.js ${needed} or newer; this is ${process.versions.node}. Install a newer one.`,
  );
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
  return builtAt > Math.max(...SOURCES.map((name) => changedAt(join(root, name))));
}

/** Types are checked by `npm run types`; the build (nest-cli.json) only takes them away. */
async function build() {
  if (!existsSync(NEST) || !existsSync(SWC)) {
    fail('The compiler that builds Curtail is not installed. Run: npm install');
  }
  console.log('Building Curtail (once, and after changes of its sources) …');
  const begunAt = new Date();
  const nest = spawn(process.execPath, [NEST, 'build'], {
    cwd: root,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const [code] = await once(nest, 'exit');
  if (code !== 0) fail('The build failed.');
  await bringDocsReader();
  writeFileSync(stamp, '');
  utimesSync(stamp, begunAt, begunAt);
}

/**
 * Puts what browsers load of the reader of /docs beside the build, also gzipped: its package is a
 * development dependency, so that a service which runs needs 4.6 MB of it and no more.
 */
async function bringDocsReader() {
  const { version } = JSON.parse(readFileSync(join(READER, 'package.json'), 'utf8'));
  const folder = join(root, 'dist', 'docs-assets');
  const target = join(folder, `scalar-${version}.js`);
  if (existsSync(`${target}.gz`)) return;
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const script = readFileSync(join(READER, 'dist', 'browser', 'standalone.js'));
  writeFileSync(target, script);
  writeFileSync(`${target}.gz`, await promisify(gzip)(script, { level: 9 }));
}

checkNode();
if (!existsSync(join(root, 'node_modules'))) {
  fail('The packages that Curtail needs are not installed. Run: npm install');
}
if (!isBuilt()) await build();
if (!process.argv.includes('--build-only')) {
  // Web workers are started from this path: they must run the service, not build it again.
  process.argv[1] = main;
  await import(pathToFileURL(main).href);
}
