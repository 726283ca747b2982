import type { StoredHosts } from '../../../src/blocklists/hosts/stored-hosts';

/** An empty list of hosts blocked by admins. */
export function withoutStoredHosts(): StoredHosts {
  return {
    ...{ entries: 0, version: '', covers: () => false },
    ...{ look: () => Promise.resolve(), onChange: () => undefined },
  } as unknown as StoredHosts;
}
