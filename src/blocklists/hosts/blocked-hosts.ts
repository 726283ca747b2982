import { join } from 'node:path';
import type { AppLog } from '../../common/log';
import { hostsOfAddress } from '../../stores/links/destination-hosts';
import { WorkerThread } from '../../processes/worker-thread';
import type { UnreadableLines } from '../lists/unreadable-lines';
import { type LoadedFile, WatchedList } from '../lists/watched-list';
import { HostTable } from './host-table';
import type { StoredHosts } from './stored-hosts';

const READ_MS = 60_000;

export interface HostListCalls {
  read: {
    request: string;
    response: {
      state: string;
      version: string;
      digests: BigUint64Array;
      unreadable: UnreadableLines;
    };
  };
}

/**
 * Hosts in BLOCKED_HOSTS_FILE (docs/contract.md#24.6), which a short-lived thread reads, and hosts
 * that admins blocked.
 */
export class BlockedHosts {
  readonly list: WatchedList;
  private table = HostTable.EMPTY;
  private readonly thread = new WorkerThread<HostListCalls>({
    name: 'host blocklist',
    script: join(__dirname, 'blocked-hosts.worker.js'),
    env: {},
  });

  constructor(
    path: string | null,
    private readonly stored: StoredHosts,
    onChange: () => void,
    log: AppLog,
  ) {
    const load = (file: string) => this.load(file);
    stored.onChange(onChange);
    this.list = new WatchedList({ variable: 'BLOCKED_HOSTS_FILE', path, load, onChange, log });
  }

  async stop(): Promise<void> {
    this.list.stop();
    await this.thread.stop();
  }

  /** Digest of all entries; empty if there are none. @throws StartingError */
  get version(): string {
    const { version } = this.list.state;
    return this.stored.version === '' ? version : `${version}+${this.stored.version}`;
  }

  async look(): Promise<void> {
    await Promise.all([this.list.look(), this.stored.look()]);
  }

  /** @throws StartingError until the stored hosts are loaded */
  covers(address: string): boolean {
    if (this.stored.version === '' && this.table.size === 0) return false;
    return hostsOfAddress(address).some((host) => this.coversHost(host));
  }

  coversHost(host: string): boolean {
    return host !== '' && (this.stored.covers(host) || this.table.covers(host));
  }

  private async load(file: string): Promise<LoadedFile> {
    try {
      const { digests, ...loaded } = await this.thread.call('read', file, READ_MS);
      this.table = new HostTable(digests);
      return { ...loaded, entries: digests.length };
    } finally {
      await this.thread.stop();
    }
  }
}
