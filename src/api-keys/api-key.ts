import type { Scope } from '../access/scope';

/** An API key as the database holds it: never the key itself. */
export interface ApiKey {
  readonly id: string;
  readonly ownerId: string;
  readonly name: string;
  readonly description: string | null;
  readonly scopes: readonly Scope[];
  /** First characters after `svc_`, for its owner to tell keys apart. */
  readonly prefix: string;
  readonly createdAt: Date;
  readonly expiresAt: Date | null;
  readonly revoked: boolean;
  readonly lastUsedAt: Date | null;
}

/** Non-revoked keys of one account (contract 11). */
export const MOST_KEYS = 20;
