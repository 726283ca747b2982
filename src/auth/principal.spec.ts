import { Caller, principalFor } from './access';

const session = {
  userId: 'the account',
  kind: 'session',
  sessionId: 's',
  scopes: [],
  emailVerified: true,
} as const;

describe('A principal', () => {
  it('acts for its own account, and keeps its other properties', () => {
    expect(principalFor(session)).toEqual({ ...session, ownerId: 'the account' });
  });

  it('provides the owner to its caller, even if the owner is not the account itself', () => {
    const shared = { ...principalFor(session), ownerId: 'a team' };
    expect(new Caller(shared).ownerId).toBe('a team');
    expect(new Caller(null).ownerId).toBeNull();
  });
});
