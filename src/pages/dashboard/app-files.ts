import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../../common/package-info';

const APP_FOLDER = join(packageRoot(), 'dist', 'web');
const APP_FILE_NAME = /^[\w.-]+-[\w-]{8}\.(js|css|svg)$/;
const TYPES: Readonly<Record<string, string>> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml; charset=utf-8',
};

/** A file whose name contains a hash of its contents. */
interface AppFile {
  readonly contentType: string;
  readonly path: string;
  /** Paths to compressed files by content coding. */
  readonly codings: Readonly<Record<string, string>>;
}

export interface AppEntry {
  readonly script: string;
  /** The script's static imports, which browsers preload. */
  readonly imports: readonly string[];
  readonly styles: readonly string[];
}

interface AppBuild {
  readonly files: ReadonlyMap<string, AppFile>;
  /** Null if the service was built without the app. */
  readonly entry: AppEntry | null;
}

export function readAppBuild(folder = APP_FOLDER): AppBuild {
  const names = existsSync(folder) ? readdirSync(folder) : [];
  const files = new Map(
    names.flatMap((name) => {
      const kind = APP_FILE_NAME.exec(name)?.[1];
      if (kind === undefined) return [];
      return [[name, findAppFile(join(folder, name), TYPES[kind] ?? '')] as const];
    }),
  );
  return { files, entry: readEntry(join(folder, 'manifest.json')) };
}

function findAppFile(path: string, contentType: string): AppFile {
  const codings = { br: `${path}.br`, gzip: `${path}.gz` };
  const present = Object.entries(codings).filter(([, each]) => existsSync(each));
  return { path, contentType, codings: Object.fromEntries(present) };
}

interface Chunk {
  readonly file: string;
  readonly isEntry?: boolean;
  readonly css?: readonly string[];
  /** Keys for imported files in the manifest. */
  readonly imports?: readonly string[];
}

/** Returns the only entry file in the Vite manifest, with the app's styles. */
function readEntry(manifest: string): AppEntry | null {
  if (!existsSync(manifest)) return null;
  const byName = JSON.parse(readFileSync(manifest, 'utf8')) as Record<string, Chunk | undefined>;
  const chunks = Object.values(byName).filter((chunk) => chunk !== undefined);
  const entry = chunks.find(({ isEntry }) => isEntry);
  if (entry === undefined) return null;
  const styles = chunks.map(({ file }) => file).filter((file) => file.endsWith('.css'));
  const imports = (entry.imports ?? []).flatMap((name) => byName[name]?.file ?? []);
  return { script: entry.file, imports, styles: [...new Set([...(entry.css ?? []), ...styles])] };
}
