import { accountWith, jobWith } from '../../../test/support/shared/domain-values';
import type { Account, DeletionOrder } from '../account/account';
import {
  LastAdminError,
  OtherEmailError,
  SelfDeletionError,
  UnknownAccountError,
} from '../account/accounts.errors';
import { AccountDeletionService } from './account-deletion.service';

const ACTOR = { id: 'c'.repeat(24), via: 'app' } as const;
const DUPLICATE = Object.assign(new Error('E11000'), { name: 'MongoServerError', code: 11000 });
const CONFIRMED = { email: ' Ada@EXAMPLE.com', reason: 'Request of the owner' };

describe('The deletion of an account', () => {
  let account: Account;
  let steps: string[];
  const begin = jest.fn((job: object) => Promise.resolve(jobWith(job)));
  const step = (name: string) => () => Promise.resolve(void steps.push(name));
  const add = jest.fn<Promise<void>, [object]>(step('recorded'));
  const keepingAnAdmin = jest.fn((_: string, act: (found: Account) => Promise<unknown>) =>
    act(account),
  );
  const deletion = new AccountDeletionService(
    {
      findDue: (_: Date, after: string | null, limit: number) => {
        const begun = Array.from({ length: limit - 1 }, () => 'begun');
        return Promise.resolve(after === null ? [...begun, 'begun'] : [account.id]);
      },
      findById: () => Promise.resolve(account),
      noteDeletion: (_: string, deletesAt: Date, order: DeletionOrder) => {
        steps.push('closed');
        account = { ...account, deletesAt, deletion: order };
        return Promise.resolve(account);
      },
    } as never,
    { keepingAnAdmin } as never,
    { removeByAccount: step('sessions ended') } as never,
    { announceChange: step('announced') } as never,
    { add } as never,
    {
      findByIds: () => Promise.resolve(new Map([['begun', jobWith()]])),
      findById: () => Promise.resolve(jobWith({ kind: 'account_deletion' })),
    } as never,
    { cancelForAccount: step('jobs cancelled'), begin, restart: step('job restarted') } as never,
    { unshareByAccount: () => Promise.resolve([{}]) } as never,
    { tellChange: step('unshared') } as never,
  );

  beforeEach(() => {
    jest.clearAllMocks();
    account = accountWith();
    steps = [];
  });

  it("closes the account and ends its sessions before it starts a job with the account's id", async () => {
    const { job, deletesAt } = await deletion.begin(account.id, CONFIRMED, ACTOR);
    expect(steps).toEqual([
      ...['closed', 'sessions ended', 'announced', 'unshared', 'jobs cancelled', 'recorded'],
    ]);
    expect(job).toMatchObject({ id: account.id, kind: 'account_deletion', ownerId: account.id });
    expect(deletesAt).toBeInstanceOf(Date);
  });

  it("continues a deletion that has begun, and keeps the first request's entry in the trail", async () => {
    const leaves = new Date('2100-01-01');
    account = accountWith({ deletesAt: leaves });
    add.mockRejectedValueOnce(new Error('killed'));
    await expect(deletion.begin(account.id, CONFIRMED, ACTOR)).rejects.toThrow('killed');
    const again = { ...CONFIRMED, reason: 'Another' };
    begin.mockRejectedValueOnce(DUPLICATE);
    const { job } = await deletion.begin(account.id, again, { id: 'd'.repeat(24), via: 'app' });
    expect(job.kind).toBe('account_deletion');
    expect(steps.at(-1)).toBe('job restarted');
    await deletion.beginDue(new Date());
    const [[first], [second], [third]] = add.mock.calls as [[object], [object], [object]];
    expect([second, third]).toEqual([first, first]);
    expect(first).toMatchObject({
      ...{ actor: ACTOR, reason: CONFIRMED.reason },
      before: { deletes_at: leaves.toISOString() },
    });
  });

  it('begins when it is due, and every attempt writes the same entry to the trail', async () => {
    const deletesAt = new Date(5000);
    account = accountWith({ deletesAt });
    await deletion.beginDue(new Date());
    await deletion.beginDue(new Date());
    expect(steps.slice(0, 5)).toEqual([
      'sessions ended',
      'announced',
      'unshared',
      'jobs cancelled',
      'recorded',
    ]);
    expect(begin).toHaveBeenCalledTimes(2);
    const [[first], [second]] = add.mock.calls as [[object], [object]];
    expect(second).toEqual(first);
    expect(first).toMatchObject({
      id: expect.stringMatching(/^[0-9a-f]{24}$/),
      actor: { id: account.id, via: 'app' },
      act: 'account.delete',
      subject: { id: account.id },
    });
  });

  it.each([null, new Date('2100-01-01')])(
    'does not begin if the owner has restored the account: %p',
    async (deletesAt) => {
      account = accountWith({ deletesAt });
      await deletion.beginDue(new Date());
      expect(steps).toEqual([]);
      expect(begin).not.toHaveBeenCalled();
    },
  );

  it.each<[string, () => void, string, new () => Error]>([
    ['its own account', () => undefined, ACTOR.id, SelfDeletionError],
    [
      'an account of another email',
      () => (account = accountWith({ email: 'bob@example.com' })),
      accountWith().id,
      OtherEmailError,
    ],
    [
      'an unknown account',
      () => keepingAnAdmin.mockRejectedValueOnce(new UnknownAccountError()),
      accountWith().id,
      UnknownAccountError,
    ],
    [
      'the last admin',
      () => keepingAnAdmin.mockRejectedValueOnce(new LastAdminError()),
      accountWith().id,
      LastAdminError,
    ],
  ])('rejects %s and changes nothing', async (_, arrange, id, error) => {
    arrange();
    await expect(deletion.begin(id, CONFIRMED, ACTOR)).rejects.toThrow(error);
    expect(steps).toEqual([]);
    expect(begin).not.toHaveBeenCalled();
  });
});
