import { openSync, readFileSync, readSync, statSync } from 'node:fs';
import Module from 'node:module';
import { basename } from 'node:path';
import { Script } from 'node:vm';
import { packageRoot } from '../common/package-info';

// A bundle contains the files that a process loads when it starts, with their V8 code caches and
// resolved `require` targets. The build writes bundles (scripts/bundle.mjs). If a bundle
// is missing or from another build or Node.js version, files are loaded as usual.

/** Content of a process's NAME.json file. One other file has all sources and code caches. */
export interface BundleIndex {
  readonly node: string;
  readonly builtAt: number;
  readonly files: BundledFile[];
}

export interface BundledFile {
  /** Path relative to the package folder. */
  readonly path: string;
  readonly start: number;
  /** Size in bytes; 0 for JSON, native code and ES modules, which Node loads. */
  readonly source: number;
  /** Whether V8 can create the string without decoding. */
  readonly isAscii: boolean;
  readonly code: number;
  readonly requests: readonly string[];
  /** Indexes in `files` to which the requests resolve. */
  readonly targets: readonly number[];
}

interface LoadedModule {
  exports: unknown;
  filename: string;
  readonly path: string;
  paths: string[];
  loaded: boolean;
  require(request: string): unknown;
}

/** Parts of the Node loader that its types omit. */
interface Loader {
  _cache: Record<string, LoadedModule | undefined>;
  _extensions: Record<string, (module: LoadedModule, filename: string) => void>;
  _nodeModulePaths: (folder: string) => string[];
  _resolveFilename: (request: string, ...rest: unknown[]) => string;
  wrap(source: string): string;
}

export const loader = Module as unknown as Loader;
const WRAPPER_LENGTH = loader.wrap('').indexOf('\n');

export function compile(filename: string, source: string, code?: Uint8Array): Script {
  return new Script(source, {
    filename,
    columnOffset: -WRAPPER_LENGTH,
    cachedData: code,
  });
}

/** Runs a file's script as Node does. @param load the file's `require` */
export function run(module: LoadedModule, script: Script, load: (request: string) => unknown) {
  const ownRequire = Object.assign(load, {
    resolve: (request: string, options?: unknown) =>
      loader._resolveFilename(request, module, false, options),
    cache: loader._cache,
    extensions: loader._extensions,
    main: require.main,
  });
  const start = script.runInThisContext() as (...parameters: unknown[]) => void;
  start.call(module.exports, module.exports, ownRequire, module, module.filename, module.path);
}

export function bundlePath(file: string): string {
  return `${packageRoot()}/dist/bundles/${file}`;
}

/** Build time in seconds, because copied files may lose fractions of a second. */
export function builtAt(): number {
  return Math.floor(statSync(`${packageRoot()}/dist/main.js`).mtimeMs / 1000);
}

function readIndex(process: string): BundledFile[] | null {
  try {
    const text = readFileSync(bundlePath(`${process}.json`), 'utf8');
    const index = JSON.parse(text) as BundleIndex;
    return index.node === version && index.builtAt === builtAt() ? index.files : null;
  } catch {
    return null;
  }
}

function useBundle(content: number, list: BundledFile[]): void {
  const root = packageRoot();
  const paths = list.map(({ path }) => root + path);
  const files = new Map(list.map((file, place) => [paths[place], file]));
  const bytes = Buffer.alloc(Math.max(...list.map(({ source, code }) => source + code)));
  const { '.js': loadFile } = loader._extensions;
  const resolve = loader._resolveFilename;

  function evaluate(module: LoadedModule, file: BundledFile): void {
    const end = readSync(content, bytes, 0, file.source + file.code, file.start);
    const source = bytes.toString(file.isAscii ? 'latin1' : 'utf8', 0, file.source);
    run(module, compile(module.filename, source, bytes.subarray(file.source, end)), (request) => {
      const place = file.targets[file.requests.indexOf(request)];
      return place === undefined ? module.require(request) : load(place, module);
    });
  }

  /** Does what Node's `require` does, without looking for the file. */
  function load(place: number, parent: LoadedModule): unknown {
    const path = paths[place] ?? '';
    const known = loader._cache[path];
    if (known !== undefined) return known.exports;
    const file = list[place];
    if (file === undefined || file.source === 0) return parent.require(path);
    const module = new Module(path, parent as Module) as unknown as LoadedModule;
    module.filename = path;
    module.paths = loader._nodeModulePaths(module.path);
    loader._cache[path] = module;
    try {
      evaluate(module, file);
    } catch (error) {
      loader._cache[path] = undefined;
      throw error;
    }
    module.loaded = true;
    return module.exports;
  }

  loader._resolveFilename = (request, ...rest) =>
    files.has(request) ? request : resolve(request, ...rest);
  loader._extensions['.js'] = (module, filename) => {
    const file = files.get(filename);
    if (file === undefined || file.source === 0) loadFile?.(module, filename);
    else evaluate(module, file);
  };
}

const { version } = process;
const [, script = '', command] = process.argv;
const name = command === 'start' ? 'main' : basename(script, '.js');
const index = readIndex(name);
if (index !== null) useBundle(openSync(bundlePath('content'), 'r'), index);
