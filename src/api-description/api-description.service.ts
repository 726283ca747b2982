import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { Injectable } from '@nestjs/common';
import { toAsset, type HttpResult } from '../common/http/http-result';
import { packageRoot } from '../common/package-info';

/** The document of the running service, made when somebody first asks for it. */
@Injectable()
export class ApiDescriptionService {
  private make: (() => object) | null = null;
  private made: HttpResult | null = null;

  /** The application alone knows its routes, and only when it is whole. */
  describe(make: () => object): void {
    this.make = make;
  }

  document(): HttpResult {
    if (this.make === null) throw new Error('The application was not described');
    const type = 'application/json; charset=utf-8';
    const options = { maxAgeSeconds: 0, isCompressible: true };
    this.made ??= toAsset(type, JSON.stringify(this.make()), options);
    return this.made;
  }
}

/** Where the build puts what browsers load of the reader: `scalar-<version>.js` and that, gzipped. */
const READER_FOLDER = join(packageRoot(), 'dist', 'docs-assets');
const READER_NAME = /^scalar-[0-9A-Za-z.-]+\.js$/;

interface ReaderBundle {
  /** Carries the version, so that browsers may keep it for good. */
  readonly name: string;
  readonly path: string;
  readonly codings: Readonly<Record<string, string>>;
}

/** The reader of this build; null where it was built without. */
export function findReaderBundle(): ReaderBundle | null {
  const name = readerFolderNames().find((file) => READER_NAME.test(file));
  if (name === undefined) return null;
  const path = join(READER_FOLDER, name);
  return { name, path, codings: { gzip: `${path}.gz` } };
}

function readerFolderNames(): string[] {
  try {
    return readdirSync(READER_FOLDER);
  } catch {
    return [];
  }
}
