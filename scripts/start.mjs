// `npm start`: builds if necessary, then runs the service in this process. npm forwards signals
// only to the shell, so the "start" script uses exec to replace the shell. `--build-only` stops
// after the build; `npm install` uses it (script "prepare").
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
/** File with the start time of the last successful build. */
const stamp = join(root, 'dist', '.built');
const SOURCES = [
  'src',
  'web',
  'package.json',
  'package-lock.json',
  '.swcrc',
  'nest-cli.json',
  'tsconfig.build.json',
  'scripts/build-web.mjs',
  'scripts/bundle.mjs',
  'scripts/delayed-imports.cjs',
];
/** Build packages; missing in production installations (--omit=dev). */
const COMPILER = [
  '@nestjs/cli',
  '@swc/cli',
  '@swc/core',
  'typescript',
  '@scalar/fastify-api-reference',
  ...WEB_TOOLS,
];
/** False in `npm run dev`, where Vite serves the app and bundles would delay restarts. */
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

/** The service checks this too, but on an older Node the build tools would fail first. */
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

/** Returns the latest change to a file or folder. A folder's own time reveals deleted files. */
function changedAt(path) {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined || path.endsWith('.spec.ts')) return 0;
  const inside = found.isDirectory() ? readdirSync(path) : [];
  return Math.max(found.mtimeMs, ...inside.map((name) => changedAt(join(path, name))));
}

function isBuilt() {
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

async function build() {
  const packages = join(root, 'node_modules');
  const isThere = COMPILER.every((name) => existsSync(join(packages, name)));
  console.log('Building Curtail (only at the first start and after source changes) …');
  const begunAt = new Date();
  try {
    if (!isThere) installCompiler();
    const from = isThere ? packages : join(borrowed, 'node_modules');
    run(process.execPath, [join(from, '@nestjs/cli/bin/nest.js'), 'build'], 'The build failed.');
    await bringDocsReader(join(from, '@scalar', 'fastify-api-reference'));
    if (hasWeb) {
      run(process.execPath, [join(root, 'scripts', 'bundle.mjs')], 'The bundling failed.');
      await buildWeb(root, from);
    }
  } finally {
    rmSync(borrowed, { recursive: true, force: true });
  }
  writeFileSync(stamp, '');
  utimesSync(stamp, begunAt, begunAt);
}

/**
 * Writes the /docs page's script, also gzipped. The package exports it only as a Fastify plugin; a
 * stub server captures the route.
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

/** Installs the locked versions for this build only and removes them afterwards. */
function installCompiler() {
  console.log('The compiler is not installed: downloading it for this build only …');
  const { devDependencies, overrides } = readJson('package.json');
  const dependencies = Object.fromEntries(COMPILER.map((name) => [name, devDependencies[name]]));
  const lock = readJson('package-lock.json');
  lock.packages[''] = { dependencies };
  // Creates links with absolute paths, because npm cannot follow links in another folder.
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
    'The compiler could not be downloaded. Run: npm install',
  );
}

/**
 * Ends the service when its parent process has ended, because a killed npm would leave the service
 * running with its port and DATA_DIR.
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
  // Web workers start from this path and must run the service instead of building it.
  process.argv[1] = main;
  if (process.env.npm_lifecycle_event !== undefined) stopWithParent();
  await import(pathToFileURL(main).href);
}
