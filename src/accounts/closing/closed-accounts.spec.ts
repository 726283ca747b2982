import type { AppLog } from '../../common/log';
import { LocalBus } from '../../infrastructure/change-bus/change-bus.module';
import { ClosedOwners } from '../../stores/links/closed-owners';
import type { AccountsRepository } from '../account/accounts.repository';
import type { RemovedAccountsRepository } from './removed-accounts.repository';
import { ClosedAccounts, decideClosings } from './closed-accounts';

const silent: AppLog = { debug: () => 0, info: () => 0, warn: () => 0, error: () => 0 };

describe('closed accounts', () => {
  it('are unknown until the list is loaded, and a failed load is retried soon', async () => {
    jest.useFakeTimers();
    const suspended = { id: 'closed', isSuspended: true, deletesAt: null, closesLinks: false };
    const findClosing = jest.fn(() => Promise.resolve([suspended]));
    findClosing.mockRejectedValueOnce(new Error('not connected yet'));
    const closed = new ClosedAccounts(
      { findClosing } as unknown as AccountsRepository,
      { ids: () => Promise.resolve([]) } as unknown as RemovedAccountsRepository,
      new ClosedOwners(),
      new LocalBus(),
      silent,
    );
    await closed.start();
    expect(() => closed.has('open')).toThrow('The service is starting');
    await jest.advanceTimersByTimeAsync(100);
    expect(closed.has('open')).toBe(false);
    expect(closed.has('closed')).toBe(true);
    closed.onModuleDestroy();
    jest.useRealTimers();
  });

  it.each<[string, boolean, number | null, boolean, string[]]>([
    ['a suspended account', true, null, false, ['closed', 'withoutLinks']],
    ['a leaving account', false, 2000, false, ['leaving']],
    ['one that closes its links', false, 2000, true, ['leaving', 'withoutLinks']],
    ['a suspended, leaving one', true, 2000, false, ['closed', 'leaving', 'withoutLinks']],
    ['an account whose time has come', false, 1000, false, ['closed', 'withoutLinks']],
    ['a restored account', false, null, true, []],
  ])('include %s', (_, isSuspended, at, closesLinks, sets) => {
    const deletesAt = at === null ? null : new Date(at);
    const account = { id: 'a', isSuspended, deletesAt, closesLinks };
    const closings = decideClosings([account], ['removed'], new Date(1000));
    const named = Object.entries(closings).filter(([, ids]) => (ids as Set<string>).has('a'));
    expect(named.map(([name]) => name)).toEqual(sets);
    expect(closings.closed.has('removed') && closings.withoutLinks.has('removed')).toBe(true);
  });
});
