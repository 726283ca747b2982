import { accountWith } from '../../test/support/shared/domain-values';
import type { Account, LinkedIdentity } from '../accounts/account/account';
import { AccountChangedError, RegistrationClosedError } from '../accounts/account/accounts.errors';
import { EmailMissingError, EmailUnprovenError } from './providers/oauth.errors';
import type { ProviderProfile } from './providers/oauth-provider';
import { ProviderSignInService } from './provider-sign-in.service';

const GOOGLE = { name: 'google', title: 'Google' } as never;
const EMAIL = 'ada@example.com';
const PROFILE: ProviderProfile = {
  ...{ subject: '1', email: EMAIL, emailVerified: true, name: 'Ada', picture: null },
};
const UNPROVEN = { emailVerified: false };
const LINKED: LinkedIdentity = {
  ...{ provider: 'google', subject: '1', email: EMAIL, emailVerified: false },
  ...{ linkedAt: new Date(0), name: null, picture: null },
};

describe('A sign-in through a provider', () => {
  let owner: Account | null;
  let account: Account | null;
  const keep = (before: Account, identity: LinkedIdentity, standing: object) =>
    Promise.resolve({ ...before, identities: [identity], ...standing });
  const replace = jest.fn(
    (before: Account, _: LinkedIdentity, identity: LinkedIdentity, standing: object) =>
      keep(before, identity, standing),
  );
  const add = jest.fn(keep);
  const takeOver = jest.fn(keep);
  const insert = jest.fn((created: object) => Promise.resolve(accountWith(created)));
  const findOwner = jest.fn(() => Promise.resolve(owner));
  const endAllSessions = jest.fn();
  const mails = { welcome: jest.fn(), notify: jest.fn() };
  const demand = jest.fn();
  const signIn = (profile: Partial<ProviderProfile> = {}) =>
    new ProviderSignInService(
      { findByEmail: () => Promise.resolve(account), insert } as never,
      { findOwner, replace, add, takeOver } as never,
      { endAllSessions } as never,
      mails as never,
      { demand } as never,
      { registered: jest.fn() } as never,
    ).accountFor(GOOGLE, { ...PROFILE, ...profile }, {} as never);
  const writes = () =>
    Object.entries({ replace, add, takeOver, insert }).flatMap(([name, { mock }]) =>
      mock.calls.map(() => name),
    );

  beforeEach(() => {
    jest.clearAllMocks();
    demand.mockReset();
    [owner, account] = [null, null];
  });

  const VERIFIED = accountWith();
  const UNVERIFIED = accountWith(UNPROVEN);
  const known = (traits: Partial<Account>) => accountWith({ identities: [LINKED], ...traits });

  it.each<
    [string, Account | null, Account | null, Partial<ProviderProfile>, string, boolean, number]
  >([
    ['creates a verified account', null, null, {}, 'insert', true, 1],
    ['creates an unverified account', null, null, UNPROVEN, 'insert', false, 0],
    ['joins the account with the email', null, VERIFIED, {}, 'add', true, 0],
    [
      'replaces an earlier identity of the provider',
      null,
      known({ emailVerified: true }),
      { subject: '2' },
      'replace',
      true,
      0,
    ],
    ['takes over an unverified account', null, UNVERIFIED, {}, 'takeOver', true, 1],
    ['finds a known identity', known({}), null, {}, 'replace', true, 0],
    ['verifies the email of a known identity', known(UNPROVEN), null, {}, 'replace', true, 1],
    [
      'does not verify another email of a known identity',
      known(UNPROVEN),
      null,
      { email: 'new@example.com' },
      'replace',
      false,
      0,
    ],
    [
      'keeps the email of a known identity without one',
      known({}),
      null,
      { email: null },
      'replace',
      true,
      0,
    ],
  ])('%s', async (_, owned, found, profile, write, isVerified, welcomes) => {
    [owner, account] = [owned, found];
    expect((await signIn(profile)).emailVerified).toBe(isVerified);
    expect(writes()).toEqual([write]);
    expect(mails.welcome).toHaveBeenCalledTimes(welcomes);
    expect(mails.notify).toHaveBeenCalledTimes(Number(write === 'add' || profile.subject === '2'));
    expect(endAllSessions).toHaveBeenCalledTimes(Number(write === 'takeOver'));
  });

  it.each<[string, Account | null, Partial<ProviderProfile>, new (...args: never[]) => Error]>([
    ['without an email', null, { email: null }, EmailMissingError],
    ['with a quoted address', null, { email: '"a b"@example.com' }, EmailMissingError],
    ['that has not verified the email of an account', VERIFIED, UNPROVEN, EmailUnprovenError],
    ['that has not verified an unverified email', UNVERIFIED, UNPROVEN, EmailUnprovenError],
  ])('is refused %s', async (_, found, profile, error) => {
    account = found;
    await expect(signIn(profile)).rejects.toThrow(error);
    expect(writes()).toEqual([]);
  });

  it('is rejected for a new account while registration is closed', async () => {
    demand.mockImplementation(() => {
      throw new RegistrationClosedError('closed');
    });
    await expect(signIn()).rejects.toThrow(RegistrationClosedError);
    account = VERIFIED;
    expect((await signIn()).id).toBe(VERIFIED.id);
  });

  it.each([
    [4, true],
    [5, false],
  ])('is tried again after %i concurrent changes: %s', async (changes, isDone) => {
    owner = known({});
    for (let i = 0; i < changes; i++) replace.mockRejectedValueOnce(new AccountChangedError());
    if (isDone) expect((await signIn()).id).toBe(VERIFIED.id);
    else await expect(signIn()).rejects.toThrow(AccountChangedError);
    replace.mockReset();
  });

  it('is not tried again after another failure', async () => {
    findOwner.mockRejectedValueOnce(new Error('broken'));
    await expect(signIn()).rejects.toThrow('broken');
    expect(findOwner).toHaveBeenCalledTimes(1);
  });
});
