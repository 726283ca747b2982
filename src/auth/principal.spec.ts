import { Caller } from './caller';
import { principalFor } from './principal';

const session = {
  userId: 'the account',
  kind: 'session',
  sessionId: 's',
  scopes: [],
  emailVerified: true,
} as const;

describe('A principal', () => {
  it('acts for its account, and keeps all its other known properties', () => {
    expect(principalFor(session)).toEqual({ ...session, ownerId: 'the account' });
  });

  it('gives its caller the owner, which may differ from the account', () => {
    const shared = { ...principalFor(session), ownerId: 'a team' };
    expect(new Caller(shared).ownerId).toBe('a team');
    expect(new Caller(null).ownerId).toBeNull();
  });
});
