import { accountWith } from '../../../test/support/shared/domain-values';
import { QuietLogger } from '../../../test/support/shared/quiet-logger';
import type { Account, Role } from '../account/account';
import {
  LastAdminError,
  RoleHeldError,
  UnknownAccountError,
  UnverifiedAdminError,
} from '../account/accounts.errors';
import { AdminsService } from './admins.service';

const BY_COMMAND = { id: null, via: 'cli' } as const;
const USER = accountWith();
const ADMIN = accountWith({ role: 'admin' });

describe('Admins', () => {
  let account: Account | null;
  let hasAdminBeside: boolean;
  let hasAdmin: boolean;
  const insert = jest.fn(() => {
    expect(release).not.toHaveBeenCalled();
    hasAdmin = true;
    return Promise.resolve(ADMIN);
  });
  const setRole = jest.fn((_id: string, role: Role) =>
    Promise.resolve(account && { ...account, role }),
  );
  const add = jest.fn();
  const release = jest.fn(() => Promise.resolve());

  const open = (...adminEmails: string[]) =>
    new AdminsService(
      {
        findById: () => Promise.resolve(account),
        findByEmail: (email: string) => Promise.resolve(account?.email === email ? account : null),
        hasAdmin: () => Promise.resolve(hasAdmin),
        insert,
        hasAdminBeside: () => Promise.resolve(hasAdminBeside),
        setRole,
      } as never,
      { acquire: () => Promise.resolve('holder'), release } as never,
      { add } as never,
      new QuietLogger(),
      { adminEmails },
    );

  beforeEach(() => {
    jest.clearAllMocks();
    account = USER;
    hasAdminBeside = true;
    hasAdmin = false;
  });

  it('are created by the set-up link only once, while the lock is held', async () => {
    const input = { email: 'ada@example.com', userName: null, passwordHash: null };
    const create = () => open().createFirst({ ...input, emailVerified: true });
    await expect(create()).resolves.toBe(ADMIN);
    await expect(create()).resolves.toBeNull();
    expect([insert, add, release].map(({ mock }) => mock.calls.length)).toEqual([1, 1, 2]);
  });

  it.each<[string, Account, Role, boolean]>([
    ['a user becomes an admin', USER, 'admin', true],
    ['an admin becomes a user', ADMIN, 'user', true],
    ['an admin stays an admin', ADMIN, 'admin', false],
    ['a user stays a user', USER, 'user', false],
    ['an unverified user stays a user', accountWith({ emailVerified: false }), 'user', false],
  ])('%s, and the trail gets an entry only for a change', async (_, before, role, isChange) => {
    account = before;
    expect((await open().setRole(before.id, role, BY_COMMAND)).role).toBe(role);
    expect(setRole).toHaveBeenCalledTimes(Number(isChange));
    expect(add.mock.calls).toEqual(
      isChange
        ? [[expect.objectContaining({ before: { role: before.role }, after: { role } })]]
        : [],
    );
  });

  it.each<[string, Account | null, Role, new () => Error]>([
    ['an unknown account', null, 'admin', UnknownAccountError],
    ['an unverified account', accountWith({ emailVerified: false }), 'admin', UnverifiedAdminError],
    [
      'a listed admin',
      accountWith({ role: 'admin', email: 'listed@example.com' }),
      'user',
      RoleHeldError,
    ],
  ])('%s cannot get another role', async (_, before, role, error) => {
    account = before;
    const change = open(' Listed@EXAMPLE.com').setRole(USER.id, role, BY_COMMAND);
    await expect(change).rejects.toThrow(error);
    expect(setRole).not.toHaveBeenCalled();
  });

  it.each<[string, Partial<Account>, boolean, boolean]>([
    ['the only admin', { role: 'admin' }, false, false],
    ['one of two admins', { role: 'admin' }, true, true],
    ['a user', {}, false, true],
    [
      'a suspended admin, who does not count',
      { role: 'admin', suspended: { at: new Date(), by: null, reason: 'Spam' } },
      false,
      true,
    ],
    ['a leaving admin, who does not count', { role: 'admin', deletesAt: new Date(0) }, false, true],
  ])('%s is removed only if an admin remains', async (_, traits, remains, isAllowed) => {
    account = accountWith(traits);
    hasAdminBeside = remains;
    const act = jest.fn(() => Promise.resolve('done'));
    const outcome = open().keepingAnAdmin(account.id, act);
    if (isAllowed) expect(await outcome).toBe('done');
    else await expect(outcome).rejects.toThrow(LastAdminError);
    expect(act).toHaveBeenCalledTimes(Number(isAllowed));
    expect(release).toHaveBeenCalledTimes(1);
  });

  it.each<[string, Partial<Account>, boolean]>([
    ['verified', {}, true],
    ['verified, an admin already', { role: 'admin' }, false],
    ['unverified', { emailVerified: false }, false],
    ['verified, with an email that is not listed', { email: 'bob@example.com' }, false],
  ])(
    'ADMIN_EMAILS grants the admin role to a listed account that is %s',
    async (_, traits, isGranted) => {
      account = accountWith(traits);
      const admins = open('Ada@EXAMPLE.com');
      const granted = await admins.grantIfListed(account);
      expect(granted.role === 'admin' && account.role !== 'admin').toBe(isGranted);
      await admins.grantAllListed();
      expect(add).toHaveBeenCalledTimes(isGranted ? 2 : 0);
    },
  );
});
