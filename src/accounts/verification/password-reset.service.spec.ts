import { accountWith } from '../../../test/support/shared/domain-values';
import { DatabaseUnavailableError } from '../../common/errors';
import type { Client } from '../../infrastructure/client-address/client-address';
import { HashingOverloadedError } from '../../infrastructure/hashing/hashing.errors';
import type { Account } from '../account/account';
import { CodeRefusedError, WeakPasswordError } from '../account/accounts.errors';
import { PasswordResetService } from './verification.service';

const hash = jest.fn<Promise<string>, [string]>();
jest.mock('../../infrastructure/hashing/password-hash', () => ({
  hashPassword: (password: string) => hash(password),
}));

const CLIENT = { key: 'client', address: '203.0.113.7' } as Client;
const PASSWORD = 'N3w-password!';

describe('A password reset', () => {
  let account: Account | null;
  let isRight: boolean;
  let isConsumed: boolean;
  let work: Promise<void>;
  const replacePassword = jest.fn(() => Promise.resolve(true));
  const endAllSessions = jest.fn();
  const notify = jest.fn();
  const sendReset = jest.fn();
  const failed = jest.fn();
  const isHealthy = jest.fn(() => Promise.resolve(true));
  const codes = {
    idOfEmail: (email: string) => `id of ${email}`,
    judge: jest.fn(() => Promise.resolve({ accepted: isRight, locked: !isRight })),
    consume: jest.fn(() => Promise.resolve(isConsumed)),
    takeMail: jest.fn(() => Promise.resolve(true)),
    issueUnknowable: jest.fn(),
  };
  const resets = new PasswordResetService(
    { findByEmail: () => Promise.resolve(account), replacePassword } as never,
    codes as never,
    { notify, sendReset } as never,
    { endAllSessions } as never,
    { run: (_: string, task: () => Promise<void>) => (work = task()) } as never,
    { isHealthy } as never,
    { failed } as never,
  );
  const reset = (password = PASSWORD) =>
    resets.reset({ email: 'ada@example.com', code: '123456', password }, CLIENT);

  beforeEach(() => {
    jest.clearAllMocks();
    hash.mockImplementation((password) => Promise.resolve(`hash of ${password}`));
    account = accountWith();
    isRight = true;
    isConsumed = true;
  });

  it('replaces the password, ends all sessions and notifies the owner', async () => {
    expect(await reset()).toMatchObject({ success: true });
    expect(replacePassword).toHaveBeenCalledWith(account, `hash of ${PASSWORD}`);
    expect(endAllSessions).toHaveBeenCalledWith(account?.id);
    expect(notify).toHaveBeenCalledWith(account?.id, { what: 'password reset' }, CLIENT);
  });

  it('rejects a weak password before it checks the code', async () => {
    await expect(reset('weakweak')).rejects.toThrow(WeakPasswordError);
    expect(codes.judge).not.toHaveBeenCalled();
  });

  it('leaves the code valid if the password cannot be hashed', async () => {
    hash.mockRejectedValue(new HashingOverloadedError());
    await expect(reset()).rejects.toThrow(HashingOverloadedError);
    expect(codes.consume).not.toHaveBeenCalled();
  });

  it('rejects a code that a concurrent request has used', async () => {
    isConsumed = false;
    await expect(reset()).rejects.toThrow(CodeRefusedError);
    expect(replacePassword).not.toHaveBeenCalled();
  });

  it('rejects a code if the address was changed concurrently', async () => {
    replacePassword.mockResolvedValueOnce(false);
    await expect(reset()).rejects.toThrow(CodeRefusedError);
    expect(notify).not.toHaveBeenCalled();
  });

  it('does not hash the password if the code is wrong, and notifies the owner of a lock', async () => {
    isRight = false;
    await expect(reset()).rejects.toThrow(CodeRefusedError);
    expect(hash).not.toHaveBeenCalled();
    expect(failed).toHaveBeenCalledTimes(1);
    expect(notify.mock.calls).toEqual([[account?.id, { what: 'codes locked' }, CLIENT]]);
  });

  const SUSPENDED = { at: new Date(), by: null, reason: 'Spam' };
  const CLOSED: [string, Account | null][] = [
    ['no account', null],
    ['a suspended account', accountWith({ suspended: SUSPENDED })],
    ['an account that is being deleted', accountWith({ deletesAt: new Date(0) })],
  ];

  it.each(CLOSED)(
    'for %s performs the same steps with an id derived from the email',
    async (_, found) => {
      account = found;
      await expect(reset()).rejects.toThrow(CodeRefusedError);
      expect(codes.judge).toHaveBeenCalledWith(
        'id of ada@example.com',
        'reset',
        '123456',
        'client',
      );
      expect(replacePassword).not.toHaveBeenCalled();
    },
  );

  it.each(CLOSED)('for %s issues a code that is not sent to any address', async (_, found) => {
    account = found;
    await resets.request('ada@example.com', CLIENT);
    await work;
    expect(codes.issueUnknowable).toHaveBeenCalledWith('id of ada@example.com', 'reset');
    expect(sendReset).not.toHaveBeenCalled();
  });

  it('of an account without a password requires the code that was sent when the address change was undone', async () => {
    account = accountWith({ passwordHash: null });
    await resets.request('ada@example.com', CLIENT);
    await work;
    expect(codes.issueUnknowable).toHaveBeenCalledWith(account.id, 'reset');
    expect(sendReset).not.toHaveBeenCalled();
    expect(await reset()).toMatchObject({ success: true });
    expect(codes.judge).toHaveBeenCalledWith(account.id, 'reset', '123456', 'client');
  });

  it.each([
    ['within the email limit', true, 1],
    ['beyond the email limit', false, 0],
  ])('for %s returns the same response', async (_, isWithin, mails) => {
    codes.takeMail.mockResolvedValueOnce(isWithin);
    expect(await resets.request('ada@example.com', CLIENT)).toMatchObject({ success: true });
    await work;
    expect(sendReset).toHaveBeenCalledTimes(mails);
  });

  it('fails while the database is unreachable', async () => {
    isHealthy.mockResolvedValueOnce(false);
    const request = resets.request('ada@example.com', CLIENT);
    await expect(request).rejects.toThrow(DatabaseUnavailableError);
  });
});
