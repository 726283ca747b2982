import type { LinksRepository } from '../links.repository';
import type { RemovedLinksRepository } from '../removal/removed-links.repository';
import { type ListedLink, toListedLink } from './listed-link';
import { OwnerListing } from './owner-listing';

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

/** A write may show this long after the time that it is stamped with. */
const LATE_MS = 15_000;
/** A link written again within the same millisecond shows this long after it. */
const SETTLED_MS = 2000;
/** Less than notes of removed links are kept for. */
const OUTDATED_MS = 30 * 60_000;

/** One account's listing and how it is kept like the database: by reading what was written since. */
export class SyncedListing {
  private listing = new OwnerListing();
  private since: Date | null = null;
  /** Stamps of the writes since then that the listing has, as far as they can't hide another. */
  private known = new Map<string, number>();
  private readonly syncing = new CoalescedRunner(() => this.sync());

  constructor(
    private readonly ownerId: string,
    private readonly links: LinksRepository,
    private readonly removed: RemovedLinksRepository,
  ) {}

  get size(): number {
    return this.listing.size;
  }

  /** The listing with everything in it that was acknowledged before the call. */
  async upToDate(): Promise<OwnerListing> {
    await this.syncing.run();
    return this.listing;
  }

  private async sync(): Promise<void> {
    const now = await this.links.now();
    if (this.since !== null && now.getTime() - this.since.getTime() > OUTDATED_MS) {
      this.since = null;
    }
    if (this.since === null) await this.readAll();
    else await this.readSince(this.since, now);
    this.since = new Date(now.getTime() - LATE_MS);
  }

  private async readAll(): Promise<void> {
    const listing = new OwnerListing();
    for await (const records of this.links.listedOf(this.ownerId)) {
      listing.update(records.map(toListedLink));
    }
    this.known = new Map();
    this.listing = listing;
  }

  private async readSince(since: Date, now: Date): Promise<void> {
    const [touched, gone] = await Promise.all([
      this.links.touchedSince(this.ownerId, since),
      this.removed.notedSince(this.ownerId, since).then((ids) => this.links.missing(ids)),
    ]);
    const fresh = [...touched].filter(([id, at]) => this.known.get(id) !== at);
    const changed: ListedLink[] = [];
    for await (const records of this.links.listedAmong(fresh.map(([id]) => id))) {
      changed.push(...records.map(toListedLink));
    }
    this.listing.update(changed, gone);
    const settled = now.getTime() - SETTLED_MS;
    this.known = new Map([...touched].filter(([, at]) => at < settled));
  }
}
