// Writes the bundles (src/processes/bundle.ts), at the end of a build: loads what the processes'
// entry files load, and stores what Node and V8 have determined about each file.
import { Buffer } from 'node:buffer';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import Module, { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath, URL } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url)).replace(/\/$/, '');
const dist = join(root, 'dist');
const ENTRIES = {
  main: 'main.js',
  'recorder.process': 'clicks/recorder/recorder.process.js',
  'statistics.process': 'analytics/statistics-process/statistics.process.js',
  'jobs.process': 'program/jobs/jobs.process.js',
  curtail: 'program/cli/admin.js',
};

/** Functions that run for every redirect and click must not check whether a module is loaded. */
const EAGER = /\/dist\/(?:clicks|engines\/(?!.*calendar)|redirect|program\/fast-path)\//;

const require = createRequire(import.meta.url);
const { builtAt, bundlePath, compile, run } = require(join(dist, 'processes/bundle.js'));
const { delayImports } = require('./delayed-imports.cjs');
/** Source, script, targets and delayed requests by file path. */
const loaded = new Map();

const compileUsually = Module.prototype._compile;
Module.prototype._compile = function (content, filename, ...rest) {
  const file = filename.startsWith(root) ? compiled(this, content, filename) : null;
  if (file === null) return compileUsually.call(this, content, filename, ...rest);
  loaded.set(filename, file);
  return run(this, file.script, (request) => {
    const exports = this.require(request);
    const target = Module._resolveFilename(request, this);
    if (target.startsWith(root)) file.targets.set(request, target);
    return exports;
  });
};

const COMMENT = /\/\*\*[\s\S]*?\*\/|^\s*\/\/.*$/gm;

/** Null for files that Node must load: ES modules, programs, and scripts that import ES modules. */
function compiled(module, content, filename) {
  if (/\bimport\s*\(/.test(content.replace(COMMENT, ''))) return null;
  const namesOf = (request) => Object.keys(module.require(request));
  const eager = { content, requests: [] };
  const forms = EAGER.test(filename) ? [eager] : [delayImports(content, namesOf), eager];
  for (const { content: body, requests } of forms) {
    const source = Module.wrap(body);
    try {
      const script = compile(filename, source);
      return { source, script, targets: new Map(), delayed: requests };
    } catch {
      // The imports cannot be delayed, or the file is not a script.
    }
  }
  return null;
}

/** Loads what the loaded files import later, which includes files that this loads. */
function loadDelayed() {
  for (const [path, { delayed, targets }] of loaded) {
    const load = createRequire(path);
    for (const request of delayed.filter((request) => !Module.isBuiltin(request))) {
      const target = load.resolve(request);
      if (target.startsWith(root)) targets.set(request, target);
      load(request);
    }
  }
}

/** Loads what an entry loads, without running it. */
function load(entry) {
  const require = createRequire(entry);
  const requests = [...readFileSync(entry, 'utf8').matchAll(/\brequire\("(\.[^"]+)"\)/g)];
  const paths = requests.map(([, request]) => {
    require(request);
    return require.resolve(request);
  });
  loadDelayed();
  return paths;
}

/** Returns the files that these files load, directly or indirectly. */
function reached(paths) {
  const found = new Set(paths);
  for (const path of found) {
    for (const target of loaded.get(path)?.targets.values() ?? []) found.add(target);
  }
  return found;
}

/** The content of all bundles, and each file's position in it. */
const parts = [];
let end = 0;
const stored = new Map();

function store(path) {
  const { source = '', script } = loaded.get(path) ?? {};
  const bytes = Buffer.from(source);
  const code = script?.createCachedData() ?? Buffer.alloc(0);
  parts.push(bytes, code);
  stored.set(path, {
    path: path.slice(root.length),
    start: end,
    source: bytes.length,
    isAscii: bytes.length === source.length,
    code: code.length,
  });
  end += bytes.length + code.length;
}

function writeIndex(path, paths) {
  const places = new Map(paths.map((file, place) => [file, place]));
  const files = paths.map((file) => {
    const { targets = new Map() } = loaded.get(file) ?? {};
    return {
      ...stored.get(file),
      requests: [...targets.keys()],
      targets: [...targets.values()].map((target) => places.get(target)),
    };
  });
  writeFileSync(path, JSON.stringify({ node: process.version, builtAt: builtAt(), files }));
}

const bundles = Object.entries(ENTRIES).map(([name, entry]) => [
  name,
  [...reached(load(join(dist, entry)))],
]);
for (const path of new Set(bundles.flatMap(([, paths]) => paths))) store(path);
rmSync(join(dist, 'bundles'), { recursive: true, force: true });
mkdirSync(join(dist, 'bundles'));
writeFileSync(bundlePath('content'), Buffer.concat(parts));
for (const [name, paths] of bundles) writeIndex(bundlePath(`${name}.json`), paths);
process.exit();
