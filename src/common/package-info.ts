import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

let knownRoot: string | undefined;

/** Works in `src`, in `dist` and in the compiled benchmarks. */
export function packageRoot(): string {
  knownRoot ??= findPackage(__dirname);
  return knownRoot;
}

function findPackage(folder: string): string {
  if (existsSync(join(folder, 'package.json'))) return folder;
  const parent = dirname(folder);
  if (parent === folder) throw new Error('No package.json above this file');
  return findPackage(parent);
}

let knownVersion: string | undefined;

export function version(): string {
  knownVersion ??= (
    JSON.parse(readFileSync(join(packageRoot(), 'package.json'), 'utf8')) as {
      version: string;
    }
  ).version;
  return knownVersion;
}
