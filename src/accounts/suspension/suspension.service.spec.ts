import { accountWith } from '../../../test/support/shared/domain-values';
import type { Account, Suspension } from '../account/account';
import { SelfSuspensionError, UnknownAccountError } from '../account/accounts.errors';
import { SuspensionService } from './suspension.service';

const ACTOR = { id: 'c'.repeat(24), via: 'app' } as const;
const SPAM = { at: new Date(5000), by: 'd'.repeat(24), reason: 'Spam' };

describe('A suspension', () => {
  let account: Account | null;
  let steps: string[];
  const step = (name: string) => () => Promise.resolve(void steps.push(name));
  const suspend = jest.fn((_: string, suspended: Suspension) =>
    Promise.resolve(account && { ...account, suspended }),
  );
  const add = jest.fn();
  const tellOfSuspension = jest.fn();
  const service = new SuspensionService(
    {
      suspend,
      endSuspension: () =>
        Promise.resolve(account?.suspended ? { ...account, suspended: null } : null),
      findById: () => Promise.resolve(account),
    } as never,
    { keepingAnAdmin: (_: string, act: (found: unknown) => unknown) => act(account) } as never,
    { removeByAccount: step('sessions ended') } as never,
    { announceChange: step('announced') } as never,
    { add } as never,
    { tellOfSuspension } as never,
    { cancelForAccount: step('jobs cancelled') } as never,
  );

  beforeEach(() => {
    jest.clearAllMocks();
    account = accountWith();
    steps = [];
  });

  it.each<[string, Suspension | null, string, number, number]>([
    ['of an open account is recorded and mailed', null, 'Spam', 1, 1],
    ['with another reason is recorded', SPAM, 'Phishing', 1, 0],
    ['with the same reason changes nothing', SPAM, 'Spam', 0, 0],
  ])('%s', async (_, suspended, reason, entries, mails) => {
    account = accountWith({ suspended });
    const after = await service.suspend(account.id, reason, ACTOR);
    expect(after.suspended?.reason).toBe(reason);
    expect(after.suspended?.at).toEqual(suspended?.at ?? expect.any(Date));
    expect(add).toHaveBeenCalledTimes(entries);
    expect(tellOfSuspension).toHaveBeenCalledTimes(mails);
    // An earlier attempt may have failed before it reached these steps.
    expect(steps).toEqual(['sessions ended', 'announced', 'jobs cancelled']);
  });

  it("cannot apply to the admin's own account", async () => {
    await expect(service.suspend(ACTOR.id, 'Spam', ACTOR)).rejects.toThrow(SelfSuspensionError);
    expect(suspend).not.toHaveBeenCalled();
  });

  it.each<[string, Suspension | null, number]>([
    ['ends with an entry and an email', SPAM, 1],
    ['that does not exist ends without either', null, 0],
  ])('%s', async (_, suspended, times) => {
    account = accountWith({ suspended });
    expect((await service.unsuspend(account.id, null, ACTOR)).suspended).toBeNull();
    expect(add).toHaveBeenCalledTimes(times);
    expect(tellOfSuspension.mock.calls).toEqual(times ? [[account.email, null]] : []);
    expect(steps).toEqual(['announced']);
  });

  it('of an unknown account cannot be ended', async () => {
    account = null;
    const end = service.unsuspend('f'.repeat(24), null, ACTOR);
    await expect(end).rejects.toThrow(UnknownAccountError);
  });
});
