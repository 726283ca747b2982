import { LRUCache } from 'lru-cache';
import {
  type QueriedLinks,
  readLinkMarks,
  readQueriedLinks,
} from '../click-engine/counting/queried-links';
import type { ChunkSource, LinkFollower } from '../click-engine/query/chunk-source';
import type { MarkedLink, Source, StatisticsQuery } from '../click-engine/query/statistics-query';

const MAX_HELD_LINKS = 500_000;

interface HeldAccount {
  readonly links: Map<string, MarkedLink>;
  follower: LinkFollower;
}

/** Loads a query's links; for an account queried before, reads only changes. */
export class AccountLinks {
  private readonly held = new LRUCache<string, HeldAccount>({
    maxSize: MAX_HELD_LINKS,
    sizeCalculation: ({ links }) => links.size + 1,
  });

  constructor(private readonly source: ChunkSource) {}

  async queriedLinks(source: Source, query: StatisticsQuery): Promise<QueriedLinks> {
    if ('links' in source) return readQueriedLinks(this.source, source, query);
    const known = await this.followed(source.ownerId);
    if (known !== null) return readLinkMarks(this.source, source, known, query);
    const read = await readQueriedLinks(this.source, source, query);
    if (read.follower !== null) {
      const links = new Map(read.links);
      this.held.set(source.ownerId, { links, follower: read.follower });
    }
    return read;
  }

  private async followed(ownerId: string): Promise<ReadonlyMap<string, MarkedLink> | null> {
    const held = this.held.get(ownerId);
    if (held === undefined) return null;
    const changes = await held.follower.changes();
    this.held.delete(ownerId);
    if (changes === null) return null;
    for (const link of changes.links) held.links.set(link.id, link);
    for (const id of changes.gone) held.links.delete(id);
    this.held.set(ownerId, { links: held.links, follower: changes.follower });
    return held.links;
  }
}
