import type { AccountLinkReads, TaggedLink } from './account-link-reads.repository';
import type { RemovedLinksRepository } from './removed-links.repository';

/**
 * Maximum time between a write's timestamp and its visibility to readers. Longer than the
 * recorder's operation timeout (`open-connection.ts`), and than deleting many links takes.
 */
export const LATE_MS = 75_000;
/** Must be shorter than the time that link deletions stay on record. */
export const OUTDATED_MS = 30 * 60_000;
const BYTES_A_STAMP = 120;

export interface ReadLinks {
  readonly links: readonly TaggedLink[];
  readonly writes: LinkWrites;
}

export class LinkWrites {
  /**
   * @param since all writes with an earlier timestamp are known
   * @param falls how many times the database clock had been set back by then
   * @param stamps timestamps of known later writes, in milliseconds by link id
   */
  private constructor(
    private readonly ownerId: string,
    private readonly repository: AccountLinkReads,
    private readonly removed: RemovedLinksRepository,
    private readonly since: Date,
    private readonly falls: number,
    private readonly stamps: ReadonlyMap<string, number>,
  ) {}

  static async readAll(
    ownerId: string,
    repository: AccountLinkReads,
    removed: RemovedLinksRepository,
  ): Promise<ReadLinks> {
    // The time is read before the links, so that no concurrent write is missed.
    const { now, falls } = await repository.time();
    const since = lateFor(now);
    const links = await repository.taggedOf({ ownerId });
    const stamps = new Map<string, number>();
    for (const { id, touchedAt } of links) {
      if (touchedAt >= since.getTime()) stamps.set(id, touchedAt);
    }
    return { links, writes: new LinkWrites(ownerId, repository, removed, since, falls, stamps) };
  }

  get bytes(): number {
    return this.stamps.size * BYTES_A_STAMP;
  }

  /** Returns all writes acknowledged before the call; null if all links must be read again. */
  async readLater(): Promise<(ReadLinks & { gone: readonly string[] }) | null> {
    const { ownerId, repository, removed } = this;
    const { now, falls } = await repository.time();
    const isOutdated = now.getTime() - this.since.getTime() > LATE_MS + OUTDATED_MS;
    if (isOutdated || falls !== this.falls) return null;
    const since = lateFor(now);
    const written = new Set<string>();
    const stamps = new Map<string, number>();
    for await (const batch of repository.touchedSince(ownerId, this.since)) {
      for (const { id, at } of batch) {
        // A link's timestamps strictly increase, so a different timestamp means a new write.
        if (this.stamps.get(id) !== at) written.add(id);
        if (at >= since.getTime()) stamps.set(id, at);
      }
    }
    const noted = await removed.notedSince(ownerId, this.since);
    const links = await repository.taggedOf({ ids: [...written] });
    const found = new Set(links.map(({ id }) => id));
    const missing = [...written].filter((id) => !found.has(id));
    const gone = [...(await repository.missing(noted)), ...missing];
    return {
      links,
      gone,
      writes: new LinkWrites(ownerId, repository, removed, since, falls, stamps),
    };
  }
}

function lateFor(now: Date): Date {
  return new Date(now.getTime() - LATE_MS);
}
