import { sliceItems } from '../../infrastructure/mongo/many-documents';
import { LATE_MS, OUTDATED_MS } from '../../stores/links/link-writes';
import type { AccountLinkReads } from '../../stores/links/account-link-reads.repository';
import type { ImportedCountsRepository } from '../../stores/imported-counts/imported-counts.repository';
import type { RemovedLinksRepository } from '../../stores/links/removed-links.repository';
import type { TagSet } from '../../stores/tags/tag-set';
import type { LinksGlance, PageOfIds, PageRequest, TagCounts } from './link-list';
import { LISTED_FIELDS, type ListedLink, toListedLink } from './listed-link';
import { minListingBytes, OwnerListing } from './owner-listing';
import { Turns } from './turns';

/** Calls during a run share the next run, which starts after the current one. */
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

/** Runs reads concurrently and writes exclusively, in the order of the calls. */
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

/** In a healthy database, writes become visible within this time of their timestamp. */
const VISIBLE_WITHIN_MS = 15_000;
/** After this time, a second write in the same millisecond is visible, too. */
const SETTLED_MS = 2000;
/** If more than an eighth of the links changed, reading all links is cheaper. */
const MANY_SHARE = 8;
const MIN_READ_AGAIN = 2000;
/** After a start, V8 has not optimized this, which takes ten times as long. */
const ADDED_AT_ONCE = 100;

interface KnownState {
  readonly at: number;
  readonly late: number;
  readonly falls: number;
  /** Revision of the imported counts; null if the account never had any. */
  readonly revision: number | null;
}

/** Keeps an account's listing current by reading the links written since the last query. */
export class SyncedListing {
  private listing = new OwnerListing();
  private known: KnownState | null = null;
  private readonly lock = new ReadWriteLock();
  private readonly syncing = new CoalescedRunner(() => this.sync());

  /** @param grown receives the memory use during the load, and throws if it exceeds the limit */
  constructor(
    private readonly ownerId: string,
    private readonly links: AccountLinkReads,
    private readonly removed: RemovedLinksRepository,
    private readonly counts: ImportedCountsRepository,
    private readonly grown: (bytes: number) => void,
  ) {}

  get bytes(): number {
    return this.listing.bytes;
  }

  /** False if the next query must reload the whole account. */
  get isRecent(): boolean {
    return this.known !== null && Date.now() - this.known.at <= OUTDATED_MS;
  }

  /** Resolves when the listing includes all writes that were acknowledged before the call. */
  bringUpToDate(): Promise<void> {
    return this.syncing.run();
  }

  select(input: PageRequest, now: number, tags: TagSet): Promise<PageOfIds> {
    return this.lock.read(() => this.listing.select(input, now, tags));
  }

  countByTag(): Promise<Map<string, TagCounts>> {
    return this.lock.read(() => Promise.resolve(this.listing.countByTag()));
  }

  glance(now: number, soon: number, most: number): Promise<LinksGlance> {
    return this.lock.read(() => this.listing.glance(now, soon, most));
  }

  private async sync(): Promise<void> {
    const { now, falls } = await this.links.time();
    // Imports write links, then counts, then the revision: it is read first, so that none is missed.
    const revision = await this.counts.findRevision(this.ownerId);
    const at = now.getTime();
    const late = await this.readLater(at, falls);
    if (late === null) await this.readAll(revision);
    else if (revision !== this.known?.revision) {
      const counts = await this.counts.findClicksOfOwner(this.ownerId);
      await this.lock.write(() => this.listing.setImported(counts));
    }
    this.known = { at, late: late ?? at, falls, revision };
  }

  /**
   * Returns the time of the last check for late writes, or null if a full reload is needed. The
   * check is several times slower while many clicks arrive, so frequent queries skip it.
   */
  private async readLater(now: number, falls: number): Promise<number | null> {
    const { known } = this;
    if (known === null || known.falls !== falls || this.listing.isWorn) return null;
    if (now - known.at > OUTDATED_MS) return null;
    const looksForLate = now - known.late > VISIBLE_WITHIN_MS;
    const since = looksForLate ? known.late - LATE_MS : known.at - VISIBLE_WITHIN_MS;
    if (!(await this.readSince(new Date(since), now))) return null;
    return looksForLate ? now : known.late;
  }

  private async readAll(revision: number | null): Promise<void> {
    const listing = new OwnerListing();
    const former = this.listing.bytes;
    const count = await this.links.countByOwner(this.ownerId);
    this.grown(former + minListingBytes(count));
    const turns = new Turns();
    for await (const documents of this.links.documentsByOwner(this.ownerId, LISTED_FIELDS, count)) {
      for (const slice of sliceItems(documents, ADDED_AT_ONCE)) {
        if (turns.due) await turns.next();
        for (const document of slice) listing.add([toListedLink(document)]);
      }
      this.grown(former + listing.bytes);
    }
    await listing.complete();
    if (revision !== null) {
      await listing.setImported(await this.counts.findClicksOfOwner(this.ownerId));
    }
    await this.lock.write(() => {
      this.listing = listing;
      return Promise.resolve();
    });
    this.grown(listing.bytes);
  }

  /** False if a full reload is cheaper. */
  private async readSince(since: Date, now: number): Promise<boolean> {
    const settled = now - SETTLED_MS;
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
