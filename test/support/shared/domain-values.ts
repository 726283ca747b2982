import { type LinkItemResponse, toLinkItem } from '../../../src/links/making/link.response';
import { TagSet } from '../../../src/stores/tags/tag-set';
import type { Account } from '../../../src/accounts/account/account';
import { type Principal, principalFor } from '../../../src/auth/access';
import type { Job } from '../../../src/infrastructure/jobs/job';
import type { Link } from '../../../src/stores/links/link';
import { toLink } from '../../../src/stores/links/link.schema';
import { aLinkRecord } from './stored-link';

/** Complete values for rule specs, without a database; each caller specifies what it needs. */

export function linkWith(changes: Partial<Link> = {}): Link {
  return { ...toLink(aLinkRecord()), ...changes };
}

/** The link as lists show it, under its alias instead of an address. */
export function shownLink(link: Link): LinkItemResponse {
  const find = (alias: string) => ({ alias, domain: null, shortUrl: `https://base.test/${alias}` });
  return toLinkItem(link, TagSet.EMPTY, { find } as never, Date.now());
}

export function accountWith(changes: Partial<Account> = {}): Account {
  return {
    id: 'a'.repeat(24),
    email: 'ada@example.com',
    emailVerified: true,
    earlier: [],
    userName: null,
    passwordHash: 'hash',
    identities: [],
    picture: null,
    sessionEpoch: 0,
    createdAt: new Date(0),
    role: 'user',
    suspended: null,
    deletesAt: null,
    deletion: null,
    closesLinks: false,
    lastSignInAt: null,
    ...changes,
  };
}

export function jobWith(changes: Partial<Job> = {}): Job {
  return {
    id: 'b'.repeat(24),
    kind: 'import',
    ownerId: 'a'.repeat(24),
    state: 'running',
    input: null,
    cursor: null,
    done: 0,
    total: null,
    counts: {},
    createdAt: new Date(0),
    startedAt: null,
    finishedAt: null,
    error: null,
    waitsUntil: null,
    files: [],
    node: null,
    claims: 0,
    isCancelled: false,
    ...changes,
  };
}

export function principalWith(changes: Partial<Principal> = {}): Principal {
  const session = { kind: 'session', sessionId: 's', scopes: [], emailVerified: true } as const;
  return { ...principalFor({ userId: 'a'.repeat(24), ...session }), ...changes };
}
