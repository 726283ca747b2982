import { createHash } from 'node:crypto';
import { accountWith, principalWith } from '../../../test/support/shared/domain-values';
import type { Account, EarlierAddress } from '../../accounts/account/account';
import {
  EmailTakenError,
  MailUnavailableError,
  UndoRefusedError,
} from '../../accounts/account/accounts.errors';
import type { SignInOrigin } from '../../accounts/sessions/session';
import { EmailChangeService } from './email-change.service';

jest.mock('../../infrastructure/hashing/password-hash', () => ({
  hashPassword: () => Promise.resolve('hash of an unknown text'),
}));

const ORIGIN = { client: { address: '203.0.113.7' } } as SignInOrigin;
const CALLER = principalWith();
const NEW = 'new@example.com';

describe("A change of an account's email address", () => {
  let account: Account;
  let found: Account | null;
  let steps: string[];
  const step =
    <T>(name: string, result: T) =>
    () => {
      steps.push(name);
      return Promise.resolve(result);
    };
  const site = { passwordSignIn: true };
  const background: (() => Promise<void>)[] = [];
  const undoChange = jest.fn<Promise<Account>, [Account, object, string | null]>(
    step('undone', accountWith()),
  );
  const isTaken = jest.fn(() => Promise.resolve(false));
  const sendEmailChanged = jest.fn(step('notice', true));
  const service = new EmailChangeService(
    { demand: () => Promise.resolve(account) } as never,
    { isTaken } as never,
    {
      change: step('changed', accountWith({ email: NEW })),
      findByUndo: () => Promise.resolve(found),
      undo: undoChange,
    } as never,
    { demandDomain: () => undefined } as never,
    {
      demand: () => Promise.resolve(),
      demandCode: () => Promise.resolve(),
      useUp: step('code used', undefined),
    } as never,
    {
      issueUnknowable: step('earlier code void', undefined),
      addressOf: () => Promise.resolve(NEW),
      removeAll: step('codes void', undefined),
      unlock: step('unlocked', undefined),
    } as never,
    {
      sendEmailChanged,
      sendNewEmailCode: step('code sent', true),
      warnOfTakenEmail: step('owner warned', undefined),
      tellOfUndoneChange: () => void steps.push('new owner informed'),
      sendReset: step('reset code', true),
    } as never,
    {
      keepOnly: step('other sessions ended', { accessToken: 'token' }),
      endAllSessions: step('sessions ended', undefined),
    } as never,
    { grantIfListed: (given: Account) => Promise.resolve(given) } as never,
    { removeCreatedSince: step('keys removed', undefined) } as never,
    { announceChange: step('announced', undefined) } as never,
    { run: (_: string, task: () => Promise<void>) => void background.push(task) } as never,
    site as never,
  );
  const confirm = () => service.confirm(CALLER, '123456', ORIGIN);

  beforeEach(() => {
    jest.clearAllMocks();
    account = accountWith();
    found = null;
    steps = [];
    site.passwordSignIn = true;
    background.length = 0;
  });

  it.each([
    ['code sent', false],
    ['owner warned', true],
  ])('invalidates the code for an earlier address first (then: %s)', async (next, taken) => {
    isTaken.mockResolvedValueOnce(taken);
    await service.request(CALLER, { email: NEW }, ORIGIN);
    expect(steps).toEqual(['code used', 'earlier code void']);
    await background[0]?.();
    expect(steps[2]).toBe(next);
  });

  it('is stored only after the old address has received a notice', async () => {
    expect(await confirm()).toMatchObject({ body: { user: { email: NEW } } });
    expect(steps).toEqual(['notice', 'code used', 'changed', 'codes void', 'other sessions ended']);
  });

  it('needs no notice if the old address was never verified', async () => {
    account = accountWith({ emailVerified: false });
    await confirm();
    expect(steps[0]).toBe('code used');
  });

  it('is not stored if the notice cannot be sent, and the code stays valid', async () => {
    sendEmailChanged.mockResolvedValueOnce(false);
    await expect(confirm()).rejects.toThrow(MailUnavailableError);
    expect(steps).toEqual([]);
  });

  it('is neither stored nor announced if another account has the address', async () => {
    isTaken.mockResolvedValueOnce(true);
    await expect(confirm()).rejects.toThrow(EmailTakenError);
    expect(steps).toEqual([]);
  });

  it.each<[string, Partial<Account> | null]>([
    ['unknown', null],
    ['of a suspended account', { suspended: { at: new Date(), by: null, reason: 'Spam' } }],
    ['of an account that is being deleted', { deletesAt: new Date(0) }],
    ['void', { earlier: [] }],
  ])('cannot be undone with a link that is %s', async (_, traits) => {
    found = traits === null ? null : accountWith(traits);
    await expect(service.undo('token', ORIGIN.client)).rejects.toThrow(UndoRefusedError);
    expect(steps).toEqual([]);
  });

  describe('can be undone', () => {
    const removal = ['keys removed', 'codes void', 'unlocked'];

    beforeEach(() => {
      const undo = createHash('sha256').update('token').digest('hex');
      const heldUntil = new Date(Date.now() + 60_000);
      const old: EarlierAddress = {
        email: 'old@example.com',
        changedAt: new Date(),
        heldUntil,
        undo,
      };
      found = accountWith({ earlier: [old] });
    });

    it('by removing keys both before and after the change, which invalidates the link', async () => {
      const { url } = await service.undo('token', ORIGIN.client);
      expect(url).toBe('/login/reset-password?done=email-restored');
      const change = ['undone', 'sessions ended'];
      const notices = ['announced', 'new owner informed', 'reset code'];
      expect(steps).toEqual([...removal, ...change, ...removal, ...notices]);
    });

    const identity = {
      ...{ provider: 'google', subject: '1', email: 'old@example.com', emailVerified: true },
      ...{ name: null, picture: null },
    };

    it.each<[string, string | null, number, string | null]>([
      ['a password', 'hash', 0, 'hash of an unknown text'],
      ['only a provider', null, 0, null],
      ['only a provider linked since', null, Date.now() + 5000, 'hash of an unknown text'],
    ])('with the password of an account that has %s', async (_, passwordHash, linked, expected) => {
      const identities = [{ ...identity, linkedAt: new Date(linked) }];
      found = { ...found!, passwordHash, identities };
      await service.undo('token', ORIGIN.client);
      expect(undoChange.mock.lastCall?.[2]).toBe(expected);
      expect(steps).toContain('reset code');
    });

    it('without a reset code if passwords are disabled', async () => {
      site.passwordSignIn = false;
      const { url } = await service.undo('token', ORIGIN.client);
      expect(url).toBe('/login?done=email-restored');
      expect(steps).not.toContain('reset code');
    });
  });
});
