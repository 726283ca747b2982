import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Returns the path of the first of these programs that PATH has, null without any. */
export function programPath(...names: readonly string[]): string | null {
  const folders = (process.env.PATH ?? '').split(delimiter);
  const paths = names.flatMap((name) => folders.map((folder) => join(folder, name)));
  return paths.find((path) => existsSync(path)) ?? null;
}
