import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { endAfterFile } from './left-running';

export function limitsFile(limits: object): string {
  const folder = mkdtempSync(join(tmpdir(), 'curtail-limits-'));
  endAfterFile(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'limits.json');
  writeFileSync(file, JSON.stringify(limits));
  return file;
}
