import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { Injectable } from '@nestjs/common';
import { toAsset, type HttpResult } from '../common/http/http-result';
import { packageRoot } from '../common/package-info';

@Injectable()
export class ApiDescriptionService {
  private make: (() => object) | null = null;
  private made: HttpResult | null = null;

  /** Call after startup, when all routes are registered. */
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

/** Build output for browsers: `scalar-<version>.js` and a compressed copy. */
const READER_FOLDER = join(packageRoot(), 'dist', 'docs-assets');
const READER_NAME = /^scalar-[0-9A-Za-z.-]+\.js$/;

interface ReaderBundle {
  /** The name contains the version, so that browsers can cache the file indefinitely. */
  readonly name: string;
  readonly path: string;
  readonly codings: Readonly<Record<string, string>>;
}

/** Returns null if the build does not include the reader. */
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
