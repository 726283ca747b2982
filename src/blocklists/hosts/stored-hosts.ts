import { join } from 'node:path';
import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { StartingError } from '../../common/errors';
import { AppLog } from '../../common/log';
import { ChangeBus } from '../../infrastructure/change-bus/bus';
import { BlockedHostsRepository } from '../../stores/blocked-hosts/blocked-hosts.repository';
import { hostsOfAddress } from '../../stores/links/destination-hosts';
import { WorkerThread } from '../../processes/worker-thread';
import type { UnreadableLines } from '../lists/unreadable-lines';
import { type LoadedFile, WatchedList } from '../lists/watched-list';
import { HostTable, HostTableBuilder } from './host-table';

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

const HOSTS_REFRESH_MS = 30_000;
/** Refresh interval while messages may be lost or the database is unreachable. */
const DOUBTFUL_HOSTS_MS = 800;
/** The interval is short, because new destinations are rejected until the hosts are loaded. */
const FIRST_LOAD_RETRY_MS = 100;

/**
 * Hosts that admins blocked (docs/contract.md#38.3), in memory. Reloaded after each change, and
 * periodically in case a message was lost.
 */
@Injectable()
export class StoredHosts implements OnModuleDestroy {
  /** Null before the first load. */
  private table: HostTable | null = null;
  private listener: () => void = () => undefined;
  private timer?: NodeJS.Timeout;
  private isStopped = false;
  /** The latest read. Reads run one at a time, so that no older result replaces a newer one. */
  private reading: Promise<void> = Promise.resolve();

  constructor(
    private readonly repository: BlockedHostsRepository,
    private readonly bus: ChangeBus,
    private readonly log: AppLog,
  ) {
    bus.subscribe('blocked_hosts.changed', () => void this.look());
    bus.onGap(() => void this.look());
  }

  onModuleDestroy(): void {
    this.isStopped = true;
    clearTimeout(this.timer);
  }

  /** The listener runs when hosts change, but not after the first load. */
  onChange(listener: () => void): void {
    this.listener = listener;
  }

  get entries(): number {
    return this.table?.size ?? 0;
  }

  /** Digest of the hosts; empty if there are none. @throws StartingError until they are loaded */
  get version(): string {
    return this.loaded().version;
  }

  /** @throws StartingError until the hosts are loaded */
  covers(host: string): boolean {
    return this.loaded().covers(host);
  }

  /** Reloads the hosts; never rejects. */
  look(): Promise<void> {
    this.reading = this.reading.then(() => this.read());
    return this.reading;
  }

  /** Call after storing a change. Every process then reloads the hosts. */
  async announceChange(): Promise<void> {
    await this.bus.publish('blocked_hosts.changed', null);
    // The bus does not await its listeners.
    await this.reading;
  }

  private loaded(): HostTable {
    if (this.table === null) throw new StartingError();
    return this.table;
  }

  private async read(): Promise<void> {
    let next = this.bus.isWhole ? HOSTS_REFRESH_MS : DOUBTFUL_HOSTS_MS;
    try {
      const builder = new HostTableBuilder();
      for (const host of await this.repository.names()) builder.add(host);
      const before = this.table;
      this.table = builder.build();
      if (before !== null && before.version !== this.table.version) this.listener();
    } catch (err) {
      this.log.debug('Could not read the blocked hosts; retrying', { err });
      next = this.table === null ? FIRST_LOAD_RETRY_MS : DOUBTFUL_HOSTS_MS;
    }
    clearTimeout(this.timer);
    if (!this.isStopped) this.timer = setTimeout(() => void this.look(), next).unref();
  }
}
