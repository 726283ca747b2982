// `npm start`: builds what is not built, then runs the service in this very process, so that
// signals reach it directly. With --build-only it stops after the build.
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';

const root = join(import.meta.dirname, '..');
const dist = join(root, 'dist');
const main = join(dist, 'main.js');
/** Carries the time at which the last successful build began. */
const stamp = join(dist, '.built');
const CONFIGURATION = ['package.json', '.swcrc'];

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

async function compiler() {
  try {
    return await import('@swc/core');
  } catch {
    return fail('The compiler that builds Curtail is not installed. Run: npm install');
  }
}

/** Types are checked by `npm run types`; here they are only taken away, which takes half a second. */
async function build() {
  const { transformFile } = await compiler();
  console.log('Building Curtail (once, and after changes of its sources) …');
  const begunAt = new Date();
  const files = readdirSync(join(root, 'src'), { recursive: true });
  const sources = files.filter((name) => name.endsWith('.ts') && !name.endsWith('.spec.ts'));
  try {
    const built = await Promise.all(
      sources.map(async (name) => [
        name,
        await transformFile(join(root, 'src', name), { cwd: root }),
      ]),
    );
    for (const [name, { code }] of built) write(join(dist, name.replace(/\.ts$/, '.js')), code);
    for (const name of files.filter((file) => file.endsWith('.css'))) {
      mkdirSync(dirname(join(dist, name)), { recursive: true });
      copyFileSync(join(root, 'src', name), join(dist, name));
    }
  } catch (error) {
    fail(`${error.message}\nThe build failed.`);
  }
  writeFileSync(stamp, '');
  utimesSync(stamp, begunAt, begunAt);
}

function write(path, code) {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, code);
}

if (!existsSync(join(root, 'node_modules'))) {
  fail('The packages that Curtail needs are not installed. Run: npm install');
}
if (!isBuilt()) await build();
if (!process.argv.includes('--build-only')) {
  // Web workers are started from this path: they must run the service, not build it again.
  process.argv[1] = main;
  await import(pathToFileURL(main).href);
}
