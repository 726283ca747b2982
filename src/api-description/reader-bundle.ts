import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../common/package-info';

/** Where the build puts what browsers load of the reader: `scalar-<version>.js` and that, gzipped. */
const FOLDER = join(packageRoot(), 'dist', 'docs-assets');
const NAME = /^scalar-[0-9A-Za-z.-]+\.js$/;

export interface ReaderBundle {
  /** Carries the version, so that browsers may keep it for good. */
  readonly name: string;
  readonly path: string;
  readonly codings: Readonly<Record<string, string>>;
}

/** The reader of this build; null where it was built without. */
export function findReaderBundle(): ReaderBundle | null {
  const name = names().find((file) => NAME.test(file));
  if (name === undefined) return null;
  const path = join(FOLDER, name);
  return { name, path, codings: { gzip: `${path}.gz` } };
}

function names(): string[] {
  try {
    return readdirSync(FOLDER);
  } catch {
    return [];
  }
}
