import { accountWith } from '../../test/support/shared/domain-values';
import type { Account, LinkedIdentity } from '../accounts/account/account';
import { IdentityTakenError } from '../accounts/account/accounts.errors';
import { AccountLinkingService } from './provider-sign-in.service';
import { EmailDiffersError, LinkEndedError, ProviderLinkedError } from './providers/oauth.errors';
import type { ProviderProfile } from './providers/oauth-provider';

const GOOGLE = { name: 'google', title: 'Google' } as never;
const TARGET = { userId: accountWith().id, sessionEpoch: 0, sessionId: 's' };
const PROFILE: ProviderProfile = {
  ...{ subject: '1', email: 'ada@example.com', emailVerified: true },
  ...{ name: null, picture: 'https://google.test/ada.png' },
};
const linkedTo = (provider: string) => ({ provider, subject: '9' }) as LinkedIdentity;

describe('A provider that is linked to an account', () => {
  let account: Account | null;
  let owner: Account | null;
  let isLive: boolean;
  const add = jest.fn((_: Account, identity: LinkedIdentity, standing: object) =>
    Promise.resolve(accountWith({ identities: [identity], ...standing })),
  );
  const welcome = jest.fn();
  const notify = jest.fn();
  const link = (profile: Partial<ProviderProfile> = {}) =>
    new AccountLinkingService(
      { findById: () => Promise.resolve(account) } as never,
      { findOwner: () => Promise.resolve(owner), add } as never,
      { isLive: () => Promise.resolve(isLive) } as never,
      { welcome, notify } as never,
    ).link(TARGET, GOOGLE, { ...PROFILE, ...profile }, {} as never);

  beforeEach(() => {
    jest.clearAllMocks();
    [account, owner, isLive] = [accountWith(), null, true];
  });

  it.each([
    ['keeps a verified email', true, false, true, 0],
    ['verifies the email if the provider does', false, true, true, 1],
    ['does not verify the email if the provider does not', false, false, false, 0],
  ])('%s, and the owner gets a notice', async (_, before, proven, after, welcomes) => {
    account = accountWith({ emailVerified: before });
    expect((await link({ emailVerified: proven })).emailVerified).toBe(after);
    expect(welcome).toHaveBeenCalledTimes(welcomes);
    expect(notify).toHaveBeenCalledTimes(1);
  });

  it.each([
    ['the picture of the provider', null, PROFILE.picture],
    ['the present picture of another provider', { url: 'x', source: 'oidc' }, 'x'],
  ])('shows %s', async (_, picture, url) => {
    account = accountWith({ picture });
    expect((await link()).picture?.url).toBe(url);
  });

  it.each<[string, () => void, Partial<ProviderProfile>, new (...args: never[]) => Error]>([
    ['whose session has ended', () => (isLive = false), {}, LinkEndedError],
    ['whose account is gone', () => (account = null), {}, LinkEndedError],
    [
      'whose sessions were ended meanwhile',
      () => (account = accountWith({ sessionEpoch: 1 })),
      {},
      LinkEndedError,
    ],
    [
      'with the identity of another account',
      () => (owner = accountWith({ id: 'other' })),
      {},
      IdentityTakenError,
    ],
    [
      'with a second identity of the provider',
      () => (account = accountWith({ identities: [linkedTo('google')] })),
      {},
      ProviderLinkedError,
    ],
    ['with another email', () => undefined, { email: 'bob@example.com' }, EmailDiffersError],
    ['without an email', () => undefined, { email: null }, EmailDiffersError],
  ])('is rejected if the attempt %s', async (_, arrange, profile, error) => {
    arrange();
    await expect(link(profile)).rejects.toThrow(error);
    expect(add).not.toHaveBeenCalled();
  });
});
