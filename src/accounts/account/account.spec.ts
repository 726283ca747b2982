import { type Account, type LinkedIdentity, signInMethods } from './account';

const identityAt = (provider: string): LinkedIdentity => ({
  provider,
  subject: 's',
  email: 'a@example.com',
  emailVerified: false,
  linkedAt: new Date(0),
  name: null,
  picture: null,
});
const account = (partial: Partial<Account>): Account => ({
  id: '0'.repeat(24),
  email: 'a@example.com',
  emailVerified: true,
  earlier: [],
  userName: null,
  passwordHash: null,
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
  ...partial,
});

describe('The sign-in methods of an account', () => {
  it('are its providers by their exact names, even unknown ones', () => {
    const identities = [identityAt('google'), identityAt('oidc'), identityAt('github')];
    expect(signInMethods(account({ identities }))).toEqual(['google', 'oidc', 'github']);
  });

  it('contain only the password if the account has one', () => {
    const identities = [identityAt('google')];
    expect(signInMethods(account({ passwordHash: 'x', identities }))).toEqual(['pwd']);
  });
});
