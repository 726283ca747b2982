import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { StoredHosts } from '../../../src/blocklists/hosts/stored-hosts';

export function aBlocklist(...lines: string[]): string {
  const file = join(mkdtempSync(join(tmpdir(), 'curtail-list-')), 'blocked.txt');
  writeFileSync(file, `${lines.join('\n')}\n`);
  return file;
}

/** Stands for hosts that admins blocked, of which there are none. */
export function withoutStoredHosts(): StoredHosts {
  return {
    ...{ entries: 0, version: '', covers: () => false },
    ...{ look: () => Promise.resolve(), onChange: () => undefined },
  } as unknown as StoredHosts;
}
