import type { LinkStatus } from '../link';

/** What is to be different about a link; an absent key stays, null removes. All is checked. */
export interface LinkChange {
  readonly longUrl?: string;
  readonly alias?: string;
  readonly passwordHash?: string | null;
  readonly maxClicks?: number | null;
  readonly expireAfter?: Date | null;
  readonly blockBots?: boolean;
  readonly privateStats?: boolean;
  readonly status?: LinkStatus;
}
