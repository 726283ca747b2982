import { accountWith, principalWith } from '../../../test/support/shared/domain-values';
import { DAY_MS } from '../../common/time';
import type { Account } from '../account/account';
import {
  AddressHeldError,
  CodeMissingError,
  CodeRefusedError,
  LastAdminError,
  NotLeavingError,
} from '../account/accounts.errors';
import { SessionAnswer, type SignInOrigin } from '../sessions/session';
import { OwnDeletionService } from './account-deletion.service';

const ORIGIN = { client: { address: '203.0.113.7' } } as SignInOrigin;
const CALLER = principalWith();
const LATER = new Date(Date.now() + 3 * DAY_MS);

describe('A deletion by the owner', () => {
  let account: Account;
  const leave = jest.fn((_id: string, deletesAt: Date, closesLinks: boolean) =>
    Promise.resolve({ ...account, deletesAt, closesLinks }),
  );
  const restore = jest.fn<Promise<Account | null>, []>();
  const keepingAnAdmin = jest.fn((_id: string, act: (found: Account) => unknown) => act(account));
  const useUp = jest.fn(() => Promise.resolve());
  const beginNoted = jest.fn();
  const notify = jest.fn();
  const service = new OwnDeletionService(
    { demand: () => Promise.resolve(account) } as never,
    { leave, restore } as never,
    { keepingAnAdmin } as never,
    { demand: () => Promise.resolve(), useUp } as never,
    { beginNoted } as never,
    { announceChange: () => Promise.resolve() } as never,
    { notify } as never,
    { repeat: () => undefined } as never,
  );

  beforeEach(() => {
    jest.clearAllMocks();
    account = accountWith();
  });

  it('is due in seven days, and the owner gets a notice', async () => {
    await service.leave(CALLER, { password: 'x', close_links: true }, ORIGIN);
    const [[, deletesAt, closesLinks]] = leave.mock.calls as [[string, Date, boolean]];
    expect(Math.abs(deletesAt.getTime() - Date.now() - 7 * DAY_MS)).toBeLessThan(60_000);
    expect(closesLinks).toBe(true);
    expect(notify).toHaveBeenCalledWith(
      account.id,
      { what: 'deletion requested', at: deletesAt },
      ORIGIN.client,
    );
    expect(beginNoted).not.toHaveBeenCalled();
  });

  it('keeps its date when it is requested again, and sends no second email', async () => {
    account = accountWith({ deletesAt: LATER, closesLinks: true });
    await service.leave(CALLER, { password: 'x' }, ORIGIN);
    expect(leave).toHaveBeenCalledWith(account.id, LATER, false);
    expect(notify).not.toHaveBeenCalled();
  });

  it('begins immediately on request, and ends the session', async () => {
    account = accountWith({ deletesAt: LATER });
    const answer = await service.leave(CALLER, { code: '123456', now: true }, ORIGIN);
    expect(answer).toBeInstanceOf(SessionAnswer);
    expect((answer as SessionAnswer<unknown>).session).toBeNull();
    expect(beginNoted).toHaveBeenCalledTimes(1);
  });

  const HELD = {
    ...{ email: 'old@example.com', changedAt: new Date(0), undo: null },
    heldUntil: LATER,
  };
  it.each<[string, Partial<Account>, object, () => void, new () => Error]>([
    ['now without a code', {}, { password: 'x', now: true }, () => undefined, CodeMissingError],
    [
      'now while the old address can undo its change',
      { earlier: [HELD] },
      { code: '123456', now: true },
      () => undefined,
      AddressHeldError,
    ],
    [
      'of the last admin',
      {},
      { code: '123456' },
      () => keepingAnAdmin.mockImplementationOnce(() => Promise.reject(new LastAdminError())),
      LastAdminError,
    ],
    [
      'with a code that another request used',
      {},
      { code: '123456' },
      () => useUp.mockRejectedValueOnce(new CodeRefusedError()),
      CodeRefusedError,
    ],
  ])('is rejected %s, and nothing changes', async (_, traits, body, arrange, error) => {
    account = accountWith(traits);
    arrange();
    await expect(service.leave(CALLER, body, ORIGIN)).rejects.toThrow(error);
    expect(leave).not.toHaveBeenCalled();
    expect(beginNoted).not.toHaveBeenCalled();
  });

  it('can be cancelled only before it begins', async () => {
    restore.mockResolvedValueOnce(accountWith()).mockResolvedValueOnce(null);
    expect(await service.restore(CALLER, ORIGIN.client)).toMatchObject({
      user: { deletes_at: null },
    });
    expect(notify).toHaveBeenCalledWith(account.id, { what: 'deletion cancelled' }, ORIGIN.client);
    await expect(service.restore(CALLER, ORIGIN.client)).rejects.toThrow(NotLeavingError);
  });
});
