import type { AppLog } from '../../common/log';
import { LocalBus } from '../../infrastructure/change-bus/change-bus.module';
import type { BlockedHostsRepository } from '../../stores/blocked-hosts/blocked-hosts.repository';
import { StoredHosts } from './stored-hosts';

const silent: AppLog = { debug: () => 0, info: () => 0, warn: () => 0, error: () => 0 };

describe('Hosts that admins blocked', () => {
  const names = jest.fn<Promise<string[]>, []>();
  let stored: StoredHosts;
  beforeEach(() => {
    jest.useFakeTimers();
    names.mockReset().mockResolvedValue(['evil.example']);
    const repository = { names } as unknown as BlockedHostsRepository;
    stored = new StoredHosts(repository, new LocalBus(), silent);
  });
  afterEach(() => {
    stored.onModuleDestroy();
    jest.useRealTimers();
  });

  it('prevent all new destinations until they are loaded, and a failed load is retried soon', async () => {
    names.mockRejectedValueOnce(new Error('not connected yet'));
    await stored.look();
    expect(() => stored.covers('good.example')).toThrow('The service is starting');
    expect(() => stored.version).toThrow('The service is starting');
    await jest.advanceTimersByTimeAsync(100);
    expect(stored.covers('a.evil.example')).toBe(true);
    expect(stored.covers('good.example')).toBe(false);
  });

  it('notify listeners of changes, but not of the first load or of unchanged hosts', async () => {
    const listener = jest.fn();
    stored.onChange(listener);
    await stored.look();
    await stored.announceChange();
    expect(listener).not.toHaveBeenCalled();
    const { version } = stored;
    names.mockResolvedValue([]);
    await stored.announceChange();
    expect(listener).toHaveBeenCalledTimes(1);
    expect([stored.entries, stored.version, version.length]).toEqual([0, '', 64]);
  });

  it('stay blocked while the database is unreachable', async () => {
    await stored.look();
    names.mockRejectedValueOnce(new Error('unreachable'));
    await stored.announceChange();
    expect(stored.covers('evil.example')).toBe(true);
  });
});
