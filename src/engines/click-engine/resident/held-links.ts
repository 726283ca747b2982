import type { ClickStoreState, LinkChanges, LinkFollower } from '../chunk-source';
import type { MarkedLink } from '../statistics-query';

/** Rough memory of a link: name, marks, and its entry in the map. */
const BYTES_A_LINK = 240;

/** The links of an account whose clicks are all held, and how to hear of what has changed since. */
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

  /** Takes links as they are now; one without clicks need not be known. */
  takeLinks(links: Iterable<MarkedLink>, stores: readonly ClickStoreState[]): void {
    const clicked = new Set(stores.map(({ linkId }) => linkId));
    for (const link of links) {
      if (clicked.has(link.id)) this.links.set(link.id, link);
      else this.links.delete(link.id);
    }
  }

  /** To be called when the clicks of what has changed are held. */
  follow({ gone, follower }: LinkChanges): void {
    for (const id of gone) this.links.delete(id);
    this.follower = follower;
  }
}
