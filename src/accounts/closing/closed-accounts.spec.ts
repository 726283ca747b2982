import type { AppLog } from '../../common/log';
import { LocalBus } from '../../infrastructure/change-bus/change-bus.module';
import { ClosedOwners } from '../../stores/links/closed-owners';
import type { AccountsRepository } from '../account/accounts.repository';
import type { RemovedAccountsRepository } from './removed-accounts.repository';
import { ClosedAccounts } from './closed-accounts';

const silent: AppLog = { debug: () => 0, info: () => 0, warn: () => 0, error: () => 0 };

describe('closed accounts', () => {
  it('are unknown until they are loaded, and loading is retried soon', async () => {
    jest.useFakeTimers();
    const closedIds = jest.fn(() => Promise.resolve(['closed']));
    closedIds.mockRejectedValueOnce(new Error('not connected yet'));
    const closed = new ClosedAccounts(
      { closedIds } as unknown as AccountsRepository,
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
});
