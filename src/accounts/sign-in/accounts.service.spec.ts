import type { Principal } from '../../auth/access';
import type { Registration } from '../../config/options';
import type { Account } from '../account/account';
import {
  AccountGoneError,
  CurrentPasswordWrongError,
  EmailTakenError,
  LoginFailedError,
  PasswordAlreadySetError,
  PasswordNotSetError,
  RegistrationClosedError,
  SessionEndedError,
  WeakPasswordError,
} from '../account/accounts.errors';
import { AccountsService, RegistrationPolicy } from './accounts.service';
import type { SignInOrigin } from '../sessions/session';

// A real hash would take a quarter of a second.
jest.mock('../../infrastructure/hashing/password-hash', () => ({
  hashPassword: (password: string) => Promise.resolve(`hash of ${password}`),
  verifyPassword: ([password]: [string], hash: string) =>
    Promise.resolve(hash === `hash of ${password}`),
}));

const PASSWORD = 'Str0ng-enough!';
const NEW = 'An0ther-one!';
const ADA = {
  id: 'a'.repeat(24),
  email: 'ada@example.com',
  emailVerified: true,
  passwordHash: `hash of ${PASSWORD}`,
  identities: [],
  deletesAt: null,
  sessionEpoch: 0,
  createdAt: new Date(0),
} as unknown as Account;
const SESSION = { userId: ADA.id, sessionId: 's', emailVerified: true } as Principal;
const ORIGIN = { client: {}, device: null } as SignInOrigin;

describe('The accounts service', () => {
  let account: Account | null;
  const insert = jest.fn((input: object) => Promise.resolve({ ...ADA, ...input }));
  const changePassword = jest.fn((_: Account, passwordHash: string) =>
    Promise.resolve<Account | null>({ ...ADA, passwordHash, sessionEpoch: 1 }),
  );
  const setFirstPassword = jest.fn(() => Promise.resolve(true));
  const find = () => Promise.resolve(account);
  const start = jest.fn(() => Promise.resolve({ accessToken: 'token' }));
  const keepOnly = jest.fn(() => Promise.resolve({ accessToken: 'token' }));
  const judge = jest.fn((_: object, compare: () => Promise<boolean>) => compare());
  const notify = jest.fn();
  const log = { registered: jest.fn(), failed: jest.fn() };
  const open = (registration: Registration = 'open') =>
    new AccountsService(
      { findById: find, findByEmail: find, insert, changePassword, setFirstPassword } as never,
      { start, keepOnly } as never,
      { judge } as never,
      { notify, sendVerification: () => Promise.resolve(false) } as never,
      new RegistrationPolicy({ registration } as never, { adminEmails: [] }),
      log as never,
      { grantIfListed: (found: Account) => Promise.resolve(found) } as never,
    );

  beforeEach(() => {
    jest.clearAllMocks();
    account = ADA;
  });

  describe('registration', () => {
    const register = (password: string, registration?: Registration) =>
      open(registration).register({ email: 'ada@example.com', password }, ORIGIN);

    it('signs the account in even if no email can be sent', async () => {
      account = null;
      const { body } = await register(PASSWORD);
      expect(body).toMatchObject({ access_token: 'token', verification_sent: false });
      expect(insert.mock.calls[0]?.[0]).toMatchObject({
        passwordHash: `hash of ${PASSWORD}`,
        emailVerified: false,
      });
    });

    it('reports that registration is closed before any other problem', async () => {
      await expect(register('weak', 'closed')).rejects.toThrow(RegistrationClosedError);
      await expect(register('weak')).rejects.toThrow(WeakPasswordError);
      await expect(register(PASSWORD)).rejects.toThrow(EmailTakenError);
      expect(insert).not.toHaveBeenCalled();
    });
  });

  describe('sign-in', () => {
    const login = (password: string) =>
      open().login({ email: 'ada@example.com', password }, ORIGIN);

    it('accepts the correct password', async () => {
      expect((await login(PASSWORD)).body.access_token).toBe('token');
      expect(log.failed).not.toHaveBeenCalled();
    });

    it('gives the same response for an unknown email, a wrong password and an account without one', async () => {
      for (const state of [null, ADA, { ...ADA, passwordHash: null }]) {
        account = state;
        await expect(login('wrong')).rejects.toThrow(LoginFailedError);
      }
      expect(judge).toHaveBeenCalledTimes(3);
      expect(log.failed).toHaveBeenCalledTimes(3);
      expect(start).not.toHaveBeenCalled();
    });
  });

  describe('a password change', () => {
    const change = (current_password: string, password = NEW) =>
      open().changePassword(SESSION, { current_password, password }, ORIGIN);

    it('keeps the current session and notifies the owner', async () => {
      await change(PASSWORD);
      expect(changePassword).toHaveBeenCalledWith(ADA, `hash of ${NEW}`);
      expect(keepOnly).toHaveBeenCalledWith(
        's',
        expect.objectContaining({ sessionEpoch: 1 }),
        ORIGIN,
      );
      expect(notify).toHaveBeenCalledTimes(1);
    });

    it('requires the current password, a strong new password, and an account that has a password', async () => {
      await expect(change('wrong')).rejects.toThrow(CurrentPasswordWrongError);
      await expect(change(PASSWORD, 'weak')).rejects.toThrow(WeakPasswordError);
      account = { ...ADA, passwordHash: null };
      await expect(change(PASSWORD)).rejects.toThrow(PasswordNotSetError);
      expect(changePassword).not.toHaveBeenCalled();
    });

    it('ends its session if a concurrent change succeeds first', async () => {
      changePassword.mockResolvedValueOnce(null);
      await expect(change(PASSWORD)).rejects.toThrow(SessionEndedError);
      expect(keepOnly).not.toHaveBeenCalled();
      expect(notify).not.toHaveBeenCalled();
    });
  });

  it('sets a first password only once', async () => {
    const set = () => open().setPassword(SESSION, { password: NEW }, ORIGIN.client);
    await expect(set()).rejects.toThrow(PasswordAlreadySetError);
    account = { ...ADA, passwordHash: null };
    expect(await set()).toMatchObject({ success: true });
    setFirstPassword.mockResolvedValueOnce(false);
    await expect(set()).rejects.toThrow(PasswordAlreadySetError);
    expect(notify).toHaveBeenCalledTimes(1);
  });

  it('rejects a session if the account was deleted or taken over', async () => {
    const stranger = { ...SESSION, emailVerified: false };
    expect(await open().demand(stranger)).toBe(ADA);
    account = { ...ADA, sessionEpoch: 1 };
    await expect(open().demand(stranger)).rejects.toThrow(AccountGoneError);
    account = null;
    await expect(open().demand(SESSION)).rejects.toThrow(AccountGoneError);
  });
});
