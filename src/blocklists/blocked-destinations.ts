import { hash } from 'node:crypto';
import { join } from 'node:path';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { AppLog } from '../common/log';
import { BlocklistOptions } from '../config/options';
import { readPatternsFile } from '../config/patterns-file';
import { RpcError } from '../processes/rpc/rpc';
import { WorkerThread } from '../processes/worker-thread';
import type { PatternVerdict } from './destination-patterns';
import { BlockedHosts, StoredHosts } from './hosts/stored-hosts';
import { addUnreadable, type UnreadableLines } from './lists/unreadable-lines';
import { type ListState, type LoadedFile, WatchedList } from './lists/watched-list';

/** Time limit for queueing and checking. The check itself has a shorter limit. */
const CHECK_WAIT_MS = 2000;
/** Much longer than the time limit for a check. A thread that takes longer has hung. */
const HANG_MS = 10_000;
/** Maximum number of queued destinations, each up to 2048 characters long. */
const MAX_WAITING_CHECKS = 100;
const COMPILE_MS = 60_000;
/** URL that is checked after a reload. A result means that all patterns are compiled. */
const COMPILED_BY = 'http://localhost/';

type DestinationVerdict = PatternVerdict['verdict'];

export interface BlocklistCalls {
  judge: { request: string; response: PatternVerdict };
}

interface Check {
  readonly destination: string;
  readonly conclude: (verdict: DestinationVerdict) => void;
}

export interface ListsVersion {
  readonly hosts: string;
  readonly urls: string;
}

interface Patterns {
  readonly sources: readonly string[];
  readonly thread: WorkerThread<BlocklistCalls>;
}

/**
 * Blocklists of hosts and case-insensitive expressions (docs/contract.md#5.2). A thread runs the
 * expressions, because a backtracking expression would block all requests in this process. A
 * destination that is not checked in time is `unfinished` and must be refused.
 */
@Injectable()
export class BlockedDestinations implements OnApplicationShutdown {
  private readonly waiting: Check[] = [];
  private readonly slow = new Set<string>();
  private readonly hosts: BlockedHosts;
  private readonly list: WatchedList;
  private patterns = startPatterns([]);
  private next: Patterns | null = null;
  private busy = false;
  private stopped = false;
  private readonly listeners: (() => void)[] = [];

  constructor(
    { hostsFile, patternsFile }: BlocklistOptions,
    private readonly stored: StoredHosts,
    private readonly log: AppLog,
  ) {
    const onChange = () => this.tellOfChange();
    this.hosts = new BlockedHosts(hostsFile, stored, onChange, log);
    this.list = new WatchedList({
      variable: 'BLOCKED_URLS_FILE',
      path: patternsFile,
      load: (path) => this.load(path),
      onChange,
      log,
    });
  }

  /** @throws ConfigurationError if a list cannot be read */
  async start(): Promise<void> {
    // Loads in the background, because the database may not be ready yet.
    void this.stored.look();
    await Promise.all([this.list.start(), this.hosts.list.start()]);
  }

  async onApplicationShutdown(): Promise<void> {
    this.stopped = true;
    this.list.stop();
    await Promise.all([this.hosts.stop(), this.patterns.thread.stop(), this.next?.thread.stop()]);
  }

  lists(): { readonly hosts: ListState; readonly urls: ListState } {
    return { hosts: this.hosts.list.state, urls: this.list.state };
  }

  /** @throws StartingError until all entries are loaded */
  get version(): ListsVersion {
    return { hosts: this.hosts.version, urls: this.list.state.version };
  }

  /** The listener runs when entries change, but not after the first load. */
  onChange(listener: () => void): void {
    this.listeners.push(listener);
  }

  /** Reloads changed entries; never rejects. */
  async look(): Promise<void> {
    await Promise.all([this.hosts.look(), this.list.look()]);
  }

  get hasPatterns(): boolean {
    return this.list.state.entries > 0;
  }

  coversHost(host: string): boolean {
    return this.hosts.coversHost(host);
  }

  judge(destination: string): Promise<DestinationVerdict> {
    return this.hosts.covers(destination)
      ? Promise.resolve('blocked')
      : this.judgeByPatterns(destination);
  }

  judgeByPatterns(destination: string): Promise<DestinationVerdict> {
    if (this.patterns.sources.length === 0) return Promise.resolve('allowed');
    if (this.waiting.length >= MAX_WAITING_CHECKS || this.stopped)
      return Promise.resolve('unfinished');
    return new Promise((resolve) => {
      const deadline = setTimeout(() => this.giveUp(check), CHECK_WAIT_MS);
      const check: Check = {
        destination,
        conclude: (verdict) => {
          clearTimeout(deadline);
          resolve(verdict);
        },
      };
      this.waiting.push(check);
      void this.checkWaiting();
    });
  }

  /** Compiles new patterns before they take effect, so that destinations do not have to wait. */
  private async load(path: string): Promise<LoadedFile> {
    const { state, patterns: lines } = readPatternsFile(path);
    const unreadable: UnreadableLines = { total: 0, lines: [] };
    const readable = lines.filter(({ line, source }) => {
      if (isRegularExpression(source)) return true;
      addUnreadable(unreadable, line, source);
      return false;
    });
    const patterns = startPatterns(readable.map(({ source }) => source));
    if (readable.length > 0) await patterns.thread.call('judge', COMPILED_BY, COMPILE_MS);
    await this.next?.thread.stop();
    this.next = patterns;
    if (!this.busy) await this.takeOver();
    return {
      state,
      version: patternsVersion(patterns.sources),
      entries: readable.length,
      unreadable,
    };
  }

  private tellOfChange(): void {
    for (const listener of this.listeners) listener();
  }

  private async takeOver(): Promise<void> {
    if (this.next === null) return;
    const before = this.patterns;
    this.patterns = this.next;
    this.next = null;
    this.slow.clear();
    await before.thread.stop();
  }

  private async checkWaiting(): Promise<void> {
    if (this.busy) return;
    this.busy = true;
    for (let check = this.waiting.shift(); check !== undefined; check = this.waiting.shift()) {
      if (this.next !== null) await this.takeOver();
      check.conclude(this.stopped ? 'unfinished' : await this.verdictOn(check.destination));
    }
    this.busy = false;
    await this.takeOver();
  }

  private async verdictOn(destination: string): Promise<DestinationVerdict> {
    const { sources, thread } = this.patterns;
    if (sources.length === 0) return 'allowed';
    try {
      const { verdict, pattern } = await thread.call('judge', destination, HANG_MS);
      if (verdict === 'unfinished') this.tellOfSlow(sources[pattern] ?? '');
      return verdict;
    } catch (error) {
      if (!this.stopped) this.log.error('The blocklist thread failed', { err: error });
      if (error instanceof RpcError && error.kind === 'timeout') await thread.stop();
      return 'unfinished';
    }
  }

  private tellOfSlow(pattern: string): void {
    if (this.slow.has(pattern)) return;
    this.slow.add(pattern);
    this.log.warn(
      'A pattern in BLOCKED_URLS_FILE is too slow; unchecked destinations are rejected',
      {
        line: pattern,
      },
    );
  }

  private giveUp(check: Check): void {
    check.conclude('unfinished');
    const place = this.waiting.indexOf(check);
    if (place !== -1) this.waiting.splice(place, 1);
  }
}

function startPatterns(sources: readonly string[]): Patterns {
  const thread = new WorkerThread<BlocklistCalls>({
    name: 'blocklist',
    script: join(__dirname, 'blocked-destinations.worker.js'),
    workerData: { sources },
    env: {},
  });
  return { sources, thread };
}

function patternsVersion(sources: readonly string[]): string {
  return sources.length === 0 ? '' : hash('sha256', sources.join('\n'));
}

function isRegularExpression(source: string): boolean {
  try {
    new RegExp(source, 'i');
    return true;
  } catch {
    return false;
  }
}
