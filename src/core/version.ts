import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from './package-root';

let knownVersion: string | undefined;

/** The package's version. */
export function version(): string {
  knownVersion ??= (
    JSON.parse(readFileSync(join(packageRoot(), 'package.json'), 'utf8')) as {
      version: string;
    }
  ).version;
  return knownVersion;
}
