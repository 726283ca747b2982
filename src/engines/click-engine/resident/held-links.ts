import type { ClickStoreState, LinkChanges, LinkFollower } from '../query/chunk-source';
import type { MarkedLink } from '../query/statistics-query';

const BYTES_A_LINK = 240;

/** An account's links whose clicks are all cached, and a follower that finds later changes. */
export class HeldLinks {
  private readonly links = new Map<string, MarkedLink>();

  constructor(private follower: LinkFollower) {}

  get bytes(): number {
    return this.links.size * BYTES_A_LINK + this.follower.bytes;
  }

  get byId(): ReadonlyMap<string, MarkedLink> {
    return this.links;
  }

  readChanges(): Promise<LinkChanges | null> {
    return this.follower.changes();
  }

  /** Updates the links; links without clicks may be skipped. */
  takeLinks(links: Iterable<MarkedLink>, stores: readonly ClickStoreState[]): void {
    const clicked = new Set(stores.map(({ linkId }) => linkId));
    for (const link of links) {
      if (clicked.has(link.id)) this.links.set(link.id, link);
      else this.links.delete(link.id);
    }
  }

  /** Call after the changed clicks are cached. */
  follow({ gone, follower }: LinkChanges): void {
    for (const id of gone) this.links.delete(id);
    this.follower = follower;
  }
}
