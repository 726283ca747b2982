import type { StoredHosts } from '../../../src/blocklists/hosts/stored-hosts';

/** Stands for hosts that admins blocked, of which there are none. */
export function withoutStoredHosts(): StoredHosts {
  return {
    ...{ entries: 0, version: '', covers: () => false },
    ...{ look: () => Promise.resolve(), onChange: () => undefined },
  } as unknown as StoredHosts;
}
