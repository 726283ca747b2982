import { Injectable, Module } from '@nestjs/common';
import { StartingError } from '../../common/errors';
import type { RememberedLink } from './link';
import { withChanges } from './remembered-link';

const CLOSED = { reason: '', at: new Date(0), by: 'admin' } as const;

/**
 * Owners whose links are closed as a whole (docs/contract.md#24.4), in the memory of every web
 * process. Nothing is written to their links: the cache hands them out as blocked ones.
 */
@Injectable()
export class ClosedOwners {
  /** Null until they were read for the first time. */
  private ids: ReadonlySet<string> | null = null;

  replaceIds(ids: ReadonlySet<string>): void {
    this.ids = ids;
  }

  get isLoaded(): boolean {
    return this.ids !== null;
  }

  /** @throws StartingError until they are loaded */
  has(id: string): boolean {
    if (this.ids === null) throw new StartingError();
    return this.ids.has(id);
  }

  /**
   * The link as visitors meet it.
   *
   * @throws StartingError until the owners are loaded
   */
  seenLink(link: RememberedLink): RememberedLink {
    if (link.ownerId === null || !this.has(link.ownerId)) return link;
    // Another object: what a visit has found out of the open link does not hold.
    return withChanges(link, { blocked: CLOSED, isPlain: false });
  }
}

@Module({ providers: [ClosedOwners], exports: [ClosedOwners] })
export class ClosedOwnersModule {}
