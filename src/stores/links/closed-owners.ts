import { Injectable } from '@nestjs/common';
import { StartingError } from '../../common/errors';
import type { RememberedLink } from './link';
import { withChanges } from './remembered-link';

const CLOSED = { reason: '', at: new Date(0), by: 'admin' } as const;

/** Owners whose links appear blocked, without a change to the links (docs/contract.md#24.4). */
@Injectable()
export class ClosedOwners {
  /** Null until first loaded. */
  private ids: ReadonlySet<string> | null = null;

  replaceIds(ids: ReadonlySet<string>): void {
    this.ids = ids;
  }

  get isLoaded(): boolean {
    return this.ids !== null;
  }

  /** @throws StartingError until loaded */
  has(id: string): boolean {
    if (this.ids === null) throw new StartingError();
    return this.ids.has(id);
  }

  /** @throws StartingError until loaded */
  seenLink(link: RememberedLink): RememberedLink {
    if (link.ownerId === null || !this.has(link.ownerId)) return link;
    // A copy, since data cached for the open link does not apply.
    return withChanges(link, { blocked: CLOSED, isPlain: false });
  }
}
