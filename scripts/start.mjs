// `npm start`: builds what is not built, then runs the service in this very process. npm passes
// SIGINT and SIGTERM on to the shell that it starts, which passes nothing on: the script "start"
// has it replace itself (exec). With --build-only this stops after the build; `npm install` does
// that already (script "prepare"), so that the first start has nothing to wait for.
import { spawnSync } from 'node:child_process';
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
import { gzipSync } from 'node:zlib';
import { buildWeb, WEB_TOOLS } from './build-web.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const main = join(root, 'dist', 'main.js');
/** Carries the time at which the last successful build began. */
const stamp = join(root, 'dist', '.built');
const SOURCES = [
  'src',
  'web',
  'package.json',
  '.swcrc',
  'nest-cli.json',
  'tsconfig.build.json',
  'scripts/build-web.mjs',
];
/** Packages of the build; a production installation (--omit=dev) is without. */
const COMPILER = [
  '@nestjs/cli',
  '@swc/cli',
  '@swc/core',
  'typescript',
  '@scalar/fastify-api-reference',
  ...WEB_TOOLS,
];
/** The app is not built where Vite serves it out of its sources (`npm run dev`). */
const hasWeb = existsSync(join(root, 'web')) && !process.argv.includes('--without-web');
const PARENT_CHECK_MS = 500;
const EMPTY_PACKAGE = join('scripts', 'empty-package');
const borrowed = join(root, 'node_modules', '.compiler');

function fail(message) {
  console.error(message);
  process.exit(1);
}

function readJson(name) {
  return JSON.parse(readFileSync(join(root, name), 'utf8'));
}

/** Said here as well as in the service: an older Node fails on the build tools with a stack trace. */
function checkNode() {
  const { engines } = readJson('package.json');
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

function run(command, args, what) {
  const { status } = spawnSync(command, args, {
    cwd: root,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  if (status !== 0) throw new Error(what);
}

/** The build (nest-cli.json) only removes types; `npm run types` checks them. */
async function build() {
  const packages = join(root, 'node_modules');
  const isThere = COMPILER.every((name) => existsSync(join(packages, name)));
  console.log('Building Curtail (once, and after changes of its sources) …');
  const begunAt = new Date();
  try {
    if (!isThere) installCompiler();
    const from = isThere ? packages : join(borrowed, 'node_modules');
    run(process.execPath, [join(from, '@nestjs/cli/bin/nest.js'), 'build'], 'The build failed.');
    await bringDocsReader(join(from, '@scalar', 'fastify-api-reference'));
    if (hasWeb) await buildWeb(root, from);
  } finally {
    rmSync(borrowed, { recursive: true, force: true });
  }
  writeFileSync(stamp, '');
  utimesSync(stamp, begunAt, begunAt);
}

/**
 * Writes the script of the page /docs beside the build, also gzipped. The package serves it as a
 * Fastify plugin; registered with a stand-in for the server, it hands over the route.
 */
async function bringDocsReader(reader) {
  const { version, main } = JSON.parse(readFileSync(join(reader, 'package.json'), 'utf8'));
  const folder = join(root, 'dist', 'docs-assets');
  const target = join(folder, `scalar-${version}.js`);
  if (existsSync(`${target}.gz`)) return;
  const { default: plugin } = await import(pathToFileURL(join(reader, main)).href);
  const routes = [];
  const server = {
    initialConfig: {},
    hasPlugin: () => false,
    route: (route) => routes.push(route),
  };
  plugin(server, { configuration: { url: '/openapi.json' } }, () => undefined);
  const route = routes.find(({ url }) => url.endsWith('/js/scalar.js'));
  const reply = { header: () => reply, send: (script) => script };
  const script = await route.handler({}, reply);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  writeFileSync(target, script);
  writeFileSync(`${target}.gz`, gzipSync(script, { level: 9 }));
}

/** For this build alone, in the versions of package-lock.json; taken away again after it. */
function installCompiler() {
  console.log('Its compiler is not installed: it is fetched for this build alone …');
  const { devDependencies, overrides } = readJson('package.json');
  const dependencies = Object.fromEntries(COMPILER.map((name) => [name, devDependencies[name]]));
  const lock = readJson('package-lock.json');
  lock.packages[''] = { dependencies };
  // Links are made anew, by the whole path: npm cannot follow those that it locked for another folder.
  for (const [path, { link }] of Object.entries(lock.packages)) {
    if (link || path === EMPTY_PACKAGE) delete lock.packages[path];
  }
  const stub = JSON.stringify(`file:${join(root, EMPTY_PACKAGE)}`);
  const project = JSON.stringify({ dependencies, overrides }).replaceAll(
    JSON.stringify(`file:${EMPTY_PACKAGE}`),
    () => stub,
  );
  mkdirSync(borrowed, { recursive: true });
  writeFileSync(join(borrowed, 'package.json'), project);
  writeFileSync(join(borrowed, 'package-lock.json'), JSON.stringify(lock));
  const options = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  run(
    'npm',
    ['install', '--prefix', borrowed, ...options],
    'The compiler could not be fetched. Run: npm install',
  );
}

/**
 * Ends the service in order when the process that started it is gone: an npm that was killed, or
 * that got a signal which it does not pass on, would leave it behind with its port and DATA_DIR.
 */
function stopWithParent() {
  const parent = process.ppid;
  setInterval(() => {
    if (process.ppid !== parent) process.kill(process.pid, 'SIGTERM');
  }, PARENT_CHECK_MS).unref();
}

checkNode();
if (!existsSync(join(root, 'node_modules'))) {
  fail('The packages that Curtail needs are not installed. Run: npm install');
}
try {
  if (!isBuilt()) await build();
} catch (error) {
  fail(error.message);
}
if (!process.argv.includes('--build-only')) {
  // Web workers are started from this path: they must run the service, not build it again.
  process.argv[1] = main;
  if (process.env.npm_lifecycle_event !== undefined) stopWithParent();
  await import(pathToFileURL(main).href);
}
