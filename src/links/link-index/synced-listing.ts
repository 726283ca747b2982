import type { LinksRepository } from '../../link-store/links.repository';
import type { RemovedLinksRepository } from '../../link-store/removed-links.repository';
import type { TagSet } from '../../tag-store/tag-set';
import type { LinksGlance, PageOfIds, PageRequest } from './link-list';
import { LISTED_FIELDS, type ListedLink, toListedLink } from './listed-link';
import { minListingBytes, OwnerListing } from './owner-listing';

/**
 * Has a job run for everybody who asks, each time begun after the asking: who asks while it runs
 * gets the next run, together with all others who ask until then.
 */
export class CoalescedRunner {
  private running?: Promise<void>;
  private next?: Promise<void>;

  constructor(private readonly job: () => Promise<void>) {}

  run(): Promise<void> {
    if (this.next !== undefined) return this.next;
    if (this.running === undefined) return this.start();
    this.next = this.running.then(
      () => this.start(),
      () => this.start(),
    );
    return this.next;
  }

  private start(): Promise<void> {
    this.next = undefined;
    this.running = this.job().finally(() => (this.running = undefined));
    return this.running;
  }
}

/** Jobs that read run together, a job that writes alone; who asks first is first. */
export class ReadWriteLock {
  private readers: Promise<unknown> = Promise.resolve();
  private writer: Promise<unknown> = Promise.resolve();

  read<T>(job: () => Promise<T>): Promise<T> {
    const result = this.writer.then(job);
    this.readers = Promise.allSettled([this.readers, result]);
    return result;
  }

  write<T>(job: () => Promise<T>): Promise<T> {
    const result = Promise.all([this.readers, this.writer]).then(job);
    this.writer = result.catch(() => undefined);
    return result;
  }
}

/** A write may show this long after the time that it is stamped with. */
const LATE_MS = 15_000;
/** A link written again within the same millisecond shows this long after it. */
const SETTLED_MS = 2000;
/** Less than notes of removed links are kept for. */
const OUTDATED_MS = 30 * 60_000;
/** Where more than this share of the links was written since, all are read again: it takes less. */
const MANY_SHARE = 8;
const MIN_READ_AGAIN = 2000;

/** One account's listing and how it is kept like the database: by reading what was written since. */
export class SyncedListing {
  private listing = new OwnerListing();
  private since: Date | null = null;
  private readonly lock = new ReadWriteLock();
  private readonly syncing = new CoalescedRunner(() => this.sync());

  /** @param grown hears what is taken while the account is being read; throws when it is too much */
  constructor(
    private readonly ownerId: string,
    private readonly links: LinksRepository,
    private readonly removed: RemovedLinksRepository,
    private readonly grown: (bytes: number) => void,
  ) {}

  get bytes(): number {
    return this.listing.bytes;
  }

  /** False where the whole account has to be read before its next list. */
  get isRecent(): boolean {
    return this.since !== null && Date.now() - this.since.getTime() <= OUTDATED_MS;
  }

  /** Has everything in the listing that was acknowledged before the call. */
  bringUpToDate(): Promise<void> {
    return this.syncing.run();
  }

  select(input: PageRequest, now: number, tags: TagSet): Promise<PageOfIds> {
    return this.lock.read(() => this.listing.select(input, now, tags));
  }

  countByTag(): Promise<Map<string, number>> {
    return this.lock.read(() => Promise.resolve(this.listing.countByTag()));
  }

  glance(now: number, soon: number, most: number): Promise<LinksGlance> {
    return this.lock.read(() => this.listing.glance(now, soon, most));
  }

  private async sync(): Promise<void> {
    const now = await this.links.now();
    const outdated = this.since === null || now.getTime() - this.since.getTime() > OUTDATED_MS;
    if (outdated || this.listing.isWorn || !(await this.readSince(now))) await this.readAll();
    this.since = new Date(now.getTime() - LATE_MS);
  }

  private async readAll(): Promise<void> {
    const listing = new OwnerListing();
    const former = this.listing.bytes;
    this.grown(former + minListingBytes(await this.links.countOf(this.ownerId)));
    for await (const documents of this.links.documentsOf(this.ownerId, LISTED_FIELDS)) {
      listing.add(documents.map(toListedLink));
      this.grown(former + listing.bytes);
    }
    await listing.complete();
    await this.lock.write(() => {
      this.listing = listing;
      return Promise.resolve();
    });
    this.grown(listing.bytes);
  }

  /** False when that would take longer than reading everything. */
  private async readSince(now: Date): Promise<boolean> {
    const since = this.since ?? now;
    const settled = now.getTime() - SETTLED_MS;
    const most = Math.max(MIN_READ_AGAIN, this.listing.size / MANY_SHARE);
    const fresh: string[] = [];
    for await (const stamps of this.links.touchedSince(this.ownerId, since)) {
      for (const { id, at } of stamps) {
        if (at >= settled || !this.listing.isStamped(id, at)) fresh.push(id);
      }
      if (fresh.length > most) return false;
    }
    const gone = await this.removed
      .notedSince(this.ownerId, since)
      .then((ids) => this.links.missing(ids));
    const changed: ListedLink[] = [];
    for await (const documents of this.links.documentsAmong(fresh, LISTED_FIELDS)) {
      changed.push(...documents.map(toListedLink));
    }
    await this.lock.write(() => this.listing.update(changed, gone));
    return true;
  }
}
