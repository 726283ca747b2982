import { AuthenticationError } from '../common/errors';
import { AccessRule, Caller, type Principal } from './access';
import { AccountLeavingError, ScopeMissingError } from './access.errors';
import { decideRefusal, demandScope } from './access.guard';

const rule = (partial: Partial<AccessRule>): AccessRule => ({
  credential: 'required',
  keys: true,
  scopes: [],
  verified: true,
  liveSession: false,
  deferred: false,
  ...partial,
});
const caller = (partial: Partial<Principal>): Caller =>
  new Caller({
    userId: 'u',
    ownerId: 'u',
    kind: 'session',
    sessionId: 's',
    scopes: [],
    emailVerified: true,
    ...partial,
  });
const ANONYMOUS = new Caller(null);
const BAD = new Caller(null, new AuthenticationError());

describe('the access guard', () => {
  it.each([
    ['anonymous on a protected route', rule({}), ANONYMOUS, 401],
    ['anonymous on an optional route', rule({ credential: 'optional' }), ANONYMOUS, null],
    ['a bad credential on an optional route', rule({ credential: 'optional' }), BAD, 401],
    ['a bad credential on a public route', rule({ credential: 'none' }), BAD, null],
    ['a session', rule({ scopes: ['urls:read'] }), caller({}), null],
    ['an unverified session', rule({}), caller({ emailVerified: false }), 403],
    [
      'an unverified session where that is fine',
      rule({ verified: false }),
      caller({ emailVerified: false }),
      null,
    ],
    [
      'a key without the scope',
      rule({ scopes: ['urls:read'] }),
      caller({ kind: 'key', scopes: ['stats:read'] }),
      403,
    ],
    [
      'a key with the scope',
      rule({ scopes: ['urls:read'] }),
      caller({ kind: 'key', scopes: ['urls:read'] }),
      null,
    ],
    [
      'an admin key',
      rule({ scopes: ['urls:manage'] }),
      caller({ kind: 'key', scopes: ['admin:all'] }),
      null,
    ],
    [
      'an admin key where only sessions may',
      rule({ keys: false }),
      caller({ kind: 'key', scopes: ['admin:all'] }),
      403,
    ],
  ])('returns %s', (_, given, who, status) => {
    expect(decideRefusal(given, who, true)?.status ?? null).toBe(status);
  });

  it('checks the verified email before the scope', () => {
    const key = caller({ kind: 'key', scopes: [], emailVerified: false });
    expect(decideRefusal(rule({ scopes: ['urls:read'] }), key, true)?.code).toBe(
      'email_not_verified',
    );
  });

  it.each<[string, Partial<AccessRule>, boolean, boolean]>([
    ['reads', {}, true, true],
    ['changes something', {}, false, false],
    ['reads with POST', { scopes: ['urls:read'] }, false, true],
    ['changes links', { scopes: ['urls:manage'] }, false, false],
    ['restores it', { whileLeaving: true }, false, true],
    ['links a sign-in method with GET', { whileLeaving: false }, true, false],
    ['shortens with a form', { credential: 'page' }, false, false],
    ['shows a page', { credential: 'page' }, true, true],
    ['creates by GET', { readKey: () => null, scopes: ['shorten:create'] }, true, false],
    ['reads by DELETE', { readKey: () => null, scopes: ['stats:read'] }, false, true],
  ])(
    'lets the owner of a leaving account call a route that %s, or not',
    (_, partial, reads, isAllowed) => {
      const refusal = decideRefusal(rule(partial), caller({ isLeaving: true }), reads);
      expect(refusal?.hint ?? null).toBe(isAllowed ? null : 'restore');
      expect(decideRefusal(rule(partial), caller({ isLeaving: false }), reads)).toBeNull();
    },
  );

  it("checks a scope that depends on the input in the same way as a route's scope", () => {
    const key = caller({ kind: 'key', scopes: ['shorten:create'] }).demandPrincipal();
    expect(() => demandScope(key, 'shorten:create')).not.toThrow();
    expect(() => demandScope(key, 'urls:read')).toThrow(ScopeMissingError);
    expect(() => demandScope({ ...key, isLeaving: true }, 'shorten:create')).toThrow(
      AccountLeavingError,
    );
  });
});
