import { AuthenticationError } from '../../common/errors';
import type { AccessRule } from '../access.decorator';
import { Caller } from '../caller';
import type { Principal } from '../principal';
import { accountKey } from './rate-limit.guard';

const caller = (partial: Partial<Principal>): Caller =>
  new Caller({
    userId: 'u',
    kind: 'session',
    sessionId: null,
    scopes: [],
    emailVerified: true,
    ...partial,
  });
const route = (keys: boolean): AccessRule => ({
  credential: 'required',
  keys,
  scopes: [],
  verified: true,
  deferred: false,
  liveSession: false,
});

describe('What a caller is counted by', () => {
  const session = caller({});
  const key = caller({ kind: 'key', keyId: 'k', scopes: ['shorten:create'] });
  const master = caller({ kind: 'key', keyId: 'm', scopes: ['admin:all'] });

  it('is the account, for sessions and for keys where keys are let in', () => {
    expect(accountKey(session, route(true))).toBe('user:u');
    expect(accountKey(key, route(true))).toBe('user:u');
    expect(accountKey(session, route(false))).toBe('user:u');
  });

  it('is the key alone where none is let in, whatever its scopes', () => {
    expect(accountKey(key, route(false))).toBe('key:k');
    expect(accountKey(master, route(false))).toBe('key:m');
  });

  it('is nothing of the account without a valid credential', () => {
    expect(accountKey(new Caller(null), route(false))).toBeUndefined();
    expect(accountKey(new Caller(null, new AuthenticationError()), route(true))).toBeUndefined();
  });
});
