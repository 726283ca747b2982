import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { AppLog } from '../../common/log';
import { withTimeout } from '../../common/with-timeout';
import { ChangeBus } from '../../infrastructure/change-bus/bus';
import { ClosedOwners } from '../../stores/links/closed-owners';
import { BackgroundReads, BatchedReads } from './link-reads';
import { LinkCacheOptions } from '../../config/options';
import type { RememberedLink } from '../../stores/links/link';
import { foldKey, soleByFold } from '../../stores/links/alias-form';
import { fingerprint, memoryBytes } from '../../stores/links/remembered-link';
import { decodeRememberedLink } from '../../stores/links/link.schema';
import { LinkReads } from '../../stores/links/link-reads.repository';

interface CachedLink {
  readonly link: RememberedLink;
  readonly fingerprint: number;
  /** Monotonic time in whole milliseconds, which are not allocated on the heap. */
  readAt: number;
  /** Time at which the entry is refreshed in the background (monotonic milliseconds). */
  refreshAt: number;
}

/** Refresh interval in case a bus message is lost; random, so that refreshes spread out. */
const [MIN_REFRESH_MS, MAX_REFRESH_MS] = [20_000, 30_000];
/** Entry lifetime while the bus may lose messages. */
const DOUBTFUL_LINK_MS = 800;
/** Time for which a visit waits until the database confirms a cached link. */
const CONFIRM_MS = 50;
/** Time for which the cache uses all entries after the database failed to confirm a link. */
const UNCONFIRMED_MS = 1000;
const MAX_OTHER_CASES = 20_000;

/**
 * A change to a link drops its alias from every web process's cache, even during a read. Unknown
 * aliases are not cached, so that new links work immediately. While the bus is unreliable, entries
 * are read again after a short time, but kept if the database is down.
 */
@Injectable()
export class LinkCache {
  private readonly cache: LRUCache<string, CachedLink>;
  private readonly reads: BatchedReads<RememberedLink>;
  private readonly foldedReads: BatchedReads<RememberedLink>;
  /** Stored aliases of links that were found in another case, by folded alias. */
  private readonly otherCases = new LRUCache<string, string>({ max: MAX_OTHER_CASES });
  private readonly refreshes: BackgroundReads;
  /** Last change number per alias. Results of reads that began earlier are not cached. */
  private readonly changedAt = new Map<string, number>();
  private changes = 0;
  /** Reads that began before this change are not cached, because `changedAt` was cleared. */
  private floor = 0;
  private believedUntil = 0;
  hits = 0;
  misses = 0;

  constructor(
    private readonly repository: LinkReads,
    private readonly bus: ChangeBus,
    private readonly owners: ClosedOwners,
    private readonly log: AppLog,
    { memoryMb }: LinkCacheOptions,
  ) {
    // Without `max`, which would allocate 10 MB at startup.
    this.cache = new LRUCache({ maxSize: memoryMb * 1024 * 1024 });
    this.reads = new BatchedReads((aliases) => this.readMany(aliases));
    this.foldedReads = new BatchedReads((folds) => this.readFolded(folds));
    this.refreshes = new BackgroundReads((aliases) => this.refresh(aliases));
    bus.subscribe('links.changed', (aliases) => this.drop(aliases as string[]));
    bus.onGap(() => this.clear());
  }

  get(alias: string, suits?: (link: RememberedLink) => boolean): RememberedLink | undefined {
    const entry = this.cache.get(alias);
    if (entry === undefined || !this.owners.isLoaded || this.isDoubtful(entry)) return undefined;
    const link = this.owners.seenLink(entry.link);
    if (suits?.(link) === false) return undefined;
    this.hits++;
    const now = performance.now();
    if (entry.refreshAt < now) {
      entry.refreshAt = nextRefresh(now);
      this.refreshes.add(alias);
    }
    return link;
  }

  async find(alias: string): Promise<RememberedLink | null> {
    const known = this.get(alias);
    if (known !== undefined) return known;
    const { ignoresCase } = this.repository;
    const link = await (ignoresCase ? this.findInAnyCase(alias) : this.read(alias));
    return link && this.owners.seenLink(link);
  }

  private async findInAnyCase(alias: string): Promise<RememberedLink | null> {
    const folded = foldKey(alias);
    const stored = this.otherCases.get(folded);
    if (stored !== undefined) {
      const link = this.get(stored) ?? (await this.read(stored));
      if (link !== null) return link;
      this.otherCases.delete(folded);
    }
    return (await this.read(alias)) ?? this.foldedReads.find(folded);
  }

  private read(alias: string): Promise<RememberedLink | null> {
    this.misses++;
    const doubtful = this.cache.peek(alias);
    return doubtful === undefined ? this.reads.find(alias) : this.confirm(alias, doubtful);
  }

  /** Call after storing a change. Every web process drops these aliases. */
  async invalidate(...aliases: string[]): Promise<void> {
    await this.bus.publish('links.changed', aliases);
  }

  /** Call when bus messages may have been lost. */
  clear(): void {
    this.floor = ++this.changes;
    this.changedAt.clear();
    this.cache.clear();
    this.otherCases.clear();
  }

  private drop(aliases: readonly string[]): void {
    this.changes++;
    for (const alias of aliases) {
      this.cache.delete(alias);
      this.changedAt.set(alias, this.changes);
      if (!this.repository.ignoresCase) continue;
      const folded = foldKey(alias);
      this.otherCases.delete(folded);
      this.changedAt.set(folded, this.changes);
    }
  }

  private async readFolded(folds: string[]): Promise<Map<string, RememberedLink>> {
    const begunAt = this.changes;
    const read = this.repository.findUndecodedByFolds(folds);
    const found = soleByFold((await this.readMany(folds, read)).values());
    for (const [folded, { alias }] of found) {
      if (!this.changedSince(folded, begunAt)) this.otherCases.set(folded, alias);
    }
    return found;
  }

  private async readMany(
    aliases: string[],
    read = this.repository.findUndecoded(aliases),
  ): Promise<Map<string, RememberedLink>> {
    const begunAt = this.changes;
    const readAt = Math.round(performance.now());
    const documents = await read;
    const known = this.byFingerprint(aliases);
    const links = new Map<string, RememberedLink>();
    for (const document of documents) {
      const print = fingerprint(document);
      const link = known.get(print)?.link ?? decodeRememberedLink(document);
      links.set(link.alias, link);
      if (this.changedSince(link.alias, begunAt)) continue;
      const entry: CachedLink = {
        link,
        fingerprint: print,
        readAt,
        refreshAt: nextRefresh(readAt),
      };
      this.cache.set(link.alias, entry, { size: memoryBytes(link, document.length) });
    }
    if (this.changedAt.size > 10_000) {
      this.floor = this.changes;
      this.changedAt.clear();
    }
    return links;
  }

  private byFingerprint(aliases: readonly string[]): Map<number, CachedLink> {
    const entries = aliases.flatMap((alias) => this.cache.peek(alias) ?? []);
    return new Map(entries.map((entry) => [entry.fingerprint, entry]));
  }

  private changedSince(alias: string, begunAt: number): boolean {
    return begunAt < this.floor || (this.changedAt.get(alias) ?? 0) > begunAt;
  }

  private isDoubtful(entry: CachedLink): boolean {
    if (this.bus.isWhole) return false;
    const now = performance.now();
    return now - entry.readAt > DOUBTFUL_LINK_MS && now > this.believedUntil;
  }

  /** Reads a link again; returns the cached link if the database does not respond. */
  private confirm(alias: string, { link }: CachedLink): Promise<RememberedLink | null> {
    const read: Promise<RememberedLink | null> = this.reads.find(alias).then(
      (found) => {
        if (found === null) this.cache.delete(alias);
        return found;
      },
      (error: unknown) => {
        this.log.debug('Could not re-read a link', { err: error });
        this.believedUntil = performance.now() + UNCONFIRMED_MS;
        return link;
      },
    );
    return withTimeout(read, CONFIRM_MS, () => link);
  }

  private async refresh(aliases: string[]): Promise<void> {
    try {
      const found = await this.readMany(aliases);
      for (const alias of aliases) if (!found.has(alias)) this.cache.delete(alias);
    } catch (error) {
      this.log.debug('Could not refresh cached links', { err: error });
    }
  }
}

function nextRefresh(now: number): number {
  return Math.round(now + MIN_REFRESH_MS + Math.random() * (MAX_REFRESH_MS - MIN_REFRESH_MS));
}
