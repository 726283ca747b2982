import { accountWith, principalWith } from '../../test/support/shared/domain-values';
import type { Account, LinkedIdentity } from '../accounts/account/account';
import { LinkedProvidersService } from './linked-providers.service';
import { LastWayInError, NotLinkedError } from './providers/oauth.errors';

const at = (provider: string): LinkedIdentity => ({
  ...{ provider, subject: '1', email: 'ada@example.com', emailVerified: true },
  ...{ linkedAt: new Date(0), name: null, picture: `https://${provider}.test/ada.png` },
});
const PICTURE = { url: 'https://google.test/ada.png', source: 'google' };

describe('Linked providers', () => {
  let accounts: Account[];
  let isRemoved: boolean;
  const remove = jest.fn<Promise<boolean>, unknown[]>(() => Promise.resolve(isRemoved));
  const notify = jest.fn();
  const service = new LinkedProvidersService(
    {
      demand: () => Promise.resolve(accounts.length > 1 ? accounts.shift() : accounts[0]),
    } as never,
    { remove } as never,
    { names: ['google', 'oidc'], findTitle: () => 'Google' } as never,
    { notify } as never,
    { passwordSignIn: true } as never,
  );
  const unlink = () => service.unlink(principalWith(), 'google', {} as never);

  beforeEach(() => {
    jest.clearAllMocks();
    isRemoved = true;
  });

  it('are listed together with the password', async () => {
    accounts = [accountWith({ passwordHash: null, identities: [at('google')] })];
    expect(await service.list(principalWith())).toMatchObject({
      providers: [{ provider: 'google', linked_at: '1970-01-01T00:00:00.000Z' }],
      password_set: false,
    });
  });

  it.each<[string, Partial<Account>, object | null]>([
    ['its picture', { identities: [at('google')], picture: PICTURE }, null],
    [
      'its picture, which another provider replaces',
      { identities: [at('google'), at('oidc')], picture: PICTURE },
      { url: 'https://oidc.test/ada.png', source: 'oidc' },
    ],
    [
      'nothing else of another provider',
      { identities: [at('google')], picture: { ...PICTURE, source: 'oidc' } },
      { ...PICTURE, source: 'oidc' },
    ],
  ])('no longer include %s', async (_, traits, picture) => {
    accounts = [accountWith(traits)];
    expect(await unlink()).toMatchObject({ success: true });
    expect(remove).toHaveBeenCalledWith(
      accounts[0],
      'google',
      { others: ['oidc'], password: true },
      picture,
    );
    expect(notify).toHaveBeenCalledTimes(1);
  });

  it.each<[string, Account[], new () => Error]>([
    ['it is not linked', [accountWith({ identities: [at('oidc')] })], NotLinkedError],
    [
      'it is the last way to sign in',
      [accountWith({ passwordHash: null, identities: [at('google')] })],
      LastWayInError,
    ],
    [
      'a concurrent request removed it',
      [accountWith({ identities: [at('google')] }), accountWith()],
      NotLinkedError,
    ],
  ])('still include a provider if %s', async (_, found, error) => {
    [accounts, isRemoved] = [found, false];
    await expect(unlink()).rejects.toThrow(error);
    expect(notify).not.toHaveBeenCalled();
  });
});
