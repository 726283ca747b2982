import { accountWith, principalWith } from '../../../test/support/shared/domain-values';
import type { Account } from '../account/account';
import { CodeRefusedError, MailNotSentError } from '../account/accounts.errors';
import type { SignInOrigin } from '../sessions/session';
import { VerificationService } from './verification.service';

const ORIGIN = { client: { key: 'client' }, device: null } as SignInOrigin;
const CALLER = principalWith();

describe('The verification of an email', () => {
  let account: Account;
  let locked: boolean;
  let verdict: { accepted: boolean; locked: boolean };
  const sendVerification = jest.fn(() => Promise.resolve(true));
  const welcome = jest.fn();
  const notify = jest.fn();
  const markVerified = jest.fn<Promise<Account | null>, []>();
  const grantIfListed = jest.fn();
  const start = jest.fn(() => Promise.resolve({ accessToken: 'token' }));
  const service = new VerificationService(
    { demand: () => Promise.resolve(account) } as never,
    { markVerified } as never,
    {
      isLocked: () => Promise.resolve(locked),
      use: () => Promise.resolve(verdict),
    } as never,
    { sendVerification, welcome, notify } as never,
    { start } as never,
    { grantIfListed } as never,
  );

  beforeEach(() => {
    jest.clearAllMocks();
    account = accountWith({ emailVerified: false });
    locked = false;
    verdict = { accepted: true, locked: false };
    markVerified.mockResolvedValue({ ...account, emailVerified: true });
  });

  it.each([
    ['unverified', false, false, 1, 600],
    ['verified already', true, false, 0, 0],
    ['locked after wrong codes', false, true, 0, 0],
  ])('sends a code to an account that is %s, or reports why it does not', async (_, ...states) => {
    const [emailVerified, isLocked, mails, seconds] = states;
    account = accountWith({ emailVerified });
    locked = isLocked;
    expect(await service.send(CALLER)).toMatchObject({ success: true, expires_in: seconds });
    expect(sendVerification).toHaveBeenCalledTimes(mails);
  });

  it('reports an email that could not be sent', async () => {
    sendVerification.mockResolvedValueOnce(false);
    await expect(service.send(CALLER)).rejects.toThrow(MailNotSentError);
  });

  it('sends a welcome email, grants a listed account the admin role, and starts a session', async () => {
    const { body } = await service.verify(CALLER, '123456', ORIGIN);
    expect(body).toMatchObject({ email_verified: true, access_token: 'token' });
    expect(welcome).toHaveBeenCalledTimes(1);
    expect(grantIfListed).toHaveBeenCalledWith(expect.objectContaining({ emailVerified: true }));
    expect(start).toHaveBeenCalledWith(expect.anything(), ['pwd'], ORIGIN);
  });

  it.each<[string, () => void, number]>([
    ['of an account that is verified already', () => (account = accountWith()), 0],
    ['that is wrong', () => (verdict = { accepted: false, locked: false }), 0],
    ['that locks the codes', () => (verdict = { accepted: false, locked: true }), 1],
    ['of an account that was removed meanwhile', () => markVerified.mockResolvedValue(null), 0],
  ])('rejects a code %s', async (_, arrange, notices) => {
    arrange();
    await expect(service.verify(CALLER, '123456', ORIGIN)).rejects.toThrow(CodeRefusedError);
    expect(notify).toHaveBeenCalledTimes(notices);
    expect(start).not.toHaveBeenCalled();
  });
});
