import { Injectable } from '@nestjs/common';
import { StartingError } from '../../common/errors';
import type { RememberedLink } from './link';
import { withChanges } from './remembered-link';

const CLOSED = { reason: '', at: new Date(0), by: 'admin' } as const;

/** Owners whose links are shown as blocked although they are stored unchanged. */
@Injectable()
export class ClosedOwners {
  /** Null before the first load. */
  private ids: ReadonlySet<string> | null = null;

  replaceIds(ids: ReadonlySet<string>): void {
    this.ids = ids;
  }

  get isLoaded(): boolean {
    return this.ids !== null;
  }

  /** @throws StartingError before the first load */
  has(id: string): boolean {
    if (this.ids === null) throw new StartingError();
    return this.ids.has(id);
  }

  /** @throws StartingError before the first load */
  seenLink(link: RememberedLink): RememberedLink {
    if (link.ownerId === null || !this.has(link.ownerId)) return link;
    // Returns a copy, because data cached for the open link does not apply to a blocked link.
    return withChanges(link, { blocked: CLOSED, isPlain: false });
  }
}
