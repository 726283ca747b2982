import { accountWith, jobWith } from '../../../../test/support/shared/domain-values';
import type { Account } from '../../../accounts/account/account';
import {
  DeletionBegunError,
  MailNotSentError,
  UnknownAccountError,
} from '../../../accounts/account/accounts.errors';
import { NoResetError } from '../action/administration.errors';
import { AdminAccountsService } from './admin-accounts.service';

const ADMIN = { id: 'c'.repeat(24), via: 'app' } as const;
const SUSPENDED = { at: new Date(), by: null, reason: 'Spam' };
type ErrorClass = new (...args: never[]) => Error;

describe("An admin's actions on accounts", () => {
  let account: Account | null;
  let sessions: number;
  let steps: string[];
  const step =
    <T>(name: string, result: T) =>
    () => {
      steps.push(name);
      return Promise.resolve(result);
    };
  const add = jest.fn();
  const sendReset = jest.fn(() => Promise.resolve(true));
  const begin = jest.fn(() => Promise.resolve({ deletesAt: new Date(5000), job: jobWith() }));
  const accounts = new AdminAccountsService(
    { findById: () => Promise.resolve(account) } as never,
    { toResponse: (shown: Account) => Promise.resolve({ id: shown.id }) } as never,
    {
      suspend: step('suspend', accountWith()),
      unsuspend: step('unsuspend', accountWith()),
    } as never,
    { begin } as never,
    { setRole: step('role', accountWith()) } as never,
    {
      removeByAccount: () => {
        steps.push('end sessions');
        return Promise.resolve(sessions);
      },
    } as never,
    { issue: step('issue a code', '123456') } as never,
    { sendReset } as never,
    { add } as never,
    { passwordSignIn: true } as never,
  );

  beforeEach(() => {
    jest.clearAllMocks();
    [account, sessions, steps] = [accountWith(), 2, []];
  });

  it.each([
    ['with sessions', 2, 1],
    ['without sessions', 0, 0],
  ])(
    '%s delete them, and write an entry to the trail if there were any',
    async (_, before, entries) => {
      sessions = before;
      await accounts.endSessions('a', ADMIN);
      expect(add).toHaveBeenCalledTimes(entries);
    },
  );

  it('send an email to reset the password, after all sessions have ended', async () => {
    await accounts.resetPassword('a', ADMIN);
    expect(sendReset).toHaveBeenCalledWith(account);
    expect(add).toHaveBeenCalledWith(
      expect.objectContaining({ act: 'account.password_reset', before: { sessions: 2 } }),
    );
    sendReset.mockResolvedValueOnce(false);
    await expect(accounts.resetPassword('a', ADMIN)).rejects.toThrow(MailNotSentError);
  });

  it('return a code without an email to a command', async () => {
    expect(await accounts.issueReset('a', ADMIN)).toMatchObject({ code: '123456' });
    expect(steps).toEqual(['issue a code', 'end sessions']);
    expect(sendReset).not.toHaveBeenCalled();
  });

  it.each<[string, Account | null, ErrorClass]>([
    ['suspended', accountWith({ suspended: SUSPENDED }), NoResetError],
    ['without a password', accountWith({ passwordHash: null }), NoResetError],
    ['unknown', null, UnknownAccountError],
    ['being deleted', accountWith({ deletesAt: new Date(0) }), DeletionBegunError],
  ])('do not reset the password or end sessions if the account is %s', async (...row) => {
    const [, found, error] = row;
    account = found;
    await expect(accounts.resetPassword('a', ADMIN)).rejects.toThrow(error);
    await expect(accounts.issueReset('a', ADMIN)).rejects.toThrow(error);
    expect(steps).toEqual([]);
  });

  it.each<[string, Account | null, ErrorClass | null]>([
    ['open', accountWith(), null],
    ['to be deleted later', accountWith({ deletesAt: new Date('2100-01-01') }), null],
    ['being deleted', accountWith({ deletesAt: new Date(0) }), DeletionBegunError],
    ['unknown', null, UnknownAccountError],
  ])('can change accounts that are %s, or cannot', async (_, found, error) => {
    account = found;
    const calls = [
      () => accounts.suspend('a', 'Spam', ADMIN),
      () => accounts.unsuspend('a', null, ADMIN),
      () => accounts.setRole('a', 'admin', ADMIN),
      () => accounts.endSessions('a', ADMIN),
    ];
    for (const call of calls) {
      if (error === null) await call();
      else await expect(call()).rejects.toThrow(error);
    }
    const all = ['suspend', 'unsuspend', 'role', 'end sessions'];
    expect(steps).toEqual(error === null ? all : []);
  });

  it('delete an account with a job', async () => {
    const deletion = await accounts.remove('a', { email: 'x', reason: 'y' }, ADMIN);
    expect(deletion).toMatchObject({ deletes_at: 5, job: { id: jobWith().id } });
  });
});
