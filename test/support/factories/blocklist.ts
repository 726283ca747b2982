import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export function aBlocklist(...lines: string[]): string {
  const file = join(mkdtempSync(join(tmpdir(), 'curtail-list-')), 'blocked.txt');
  writeFileSync(file, `${lines.join('\n')}\n`);
  return file;
}
