import type { LinksRepository, TaggedLink } from './links.repository';
import type { RemovedLinksRepository } from './removed-links.repository';

/**
 * A write may show this long after the time that it is stamped with: longer than an operation of
 * the recorder may take (`open-connection.ts`), and than many links take to be removed.
 */
export const LATE_MS = 75_000;
/** Less than notes of removed links are kept for. */
export const OUTDATED_MS = 30 * 60_000;
const BYTES_A_STAMP = 120;

/** Links of an account as they are now, and how to hear of later writes. */
export interface ReadLinks {
  readonly links: readonly TaggedLink[];
  readonly writes: LinkWrites;
}

/** The writes to an account's links that somebody knows, by which those that came later are found. */
export class LinkWrites {
  /**
   * @param since writes stamped before are known
   * @param falls falls of the database's clock until then
   * @param stamps of links written later that are known too, in milliseconds
   */
  private constructor(
    private readonly ownerId: string,
    private readonly repository: LinksRepository,
    private readonly removed: RemovedLinksRepository,
    private readonly since: Date,
    private readonly falls: number,
    private readonly stamps: ReadonlyMap<string, number>,
  ) {}

  /** Reads all links of an account. */
  static async readAll(
    ownerId: string,
    repository: LinksRepository,
    removed: RemovedLinksRepository,
  ): Promise<ReadLinks> {
    // Before the links, so that nothing written meanwhile is missed.
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

  /**
   * Reads the links that were written since, with all that was acknowledged before the call; `gone`
   * are ids of removed ones. Null where all links are to be read again.
   */
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
        // Each write of a link has a later stamp than the one before.
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
