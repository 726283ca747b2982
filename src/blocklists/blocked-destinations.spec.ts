import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { WorkerThread } from '../processes/worker-thread';
import { BlockedDestinations } from './blocked-destinations';
import { withoutStoredHosts } from '../../test/support/shared/stored-hosts';
import type { AppLog } from '../common/log';

describe('BlockedDestinations', () => {
  const folder = mkdtempSync(join(tmpdir(), 'curtail-list-'));
  afterEach(() => jest.restoreAllMocks());
  afterAll(() => rmSync(folder, { recursive: true }));

  it('starts no new thread for queued checks when the process ends', async () => {
    const log = { error: jest.fn(), warn: jest.fn() };
    const patternsFile = join(folder, 'patterns.txt');
    writeFileSync(patternsFile, 'evil');
    const options = { patternsFile, hostsFile: null };
    const list = new BlockedDestinations(options, withoutStoredHosts(), log as unknown as AppLog);
    let end: (error: Error) => void = () => undefined;
    const call = jest.spyOn(WorkerThread.prototype, 'call').mockImplementation(
      () =>
        new Promise((_, reject) => {
          end = reject;
        }),
    );
    call.mockResolvedValueOnce({ verdict: 'allowed', pattern: -1 });
    await list.start();
    const verdicts = ['a', 'b', 'c'].map((host) => list.judge(`https://${host}.test/`));
    await list.onApplicationShutdown();
    end(new Error('the thread has ended'));
    expect(await Promise.all(verdicts)).toEqual(['unfinished', 'unfinished', 'unfinished']);
    expect(await list.judge('https://d.test/')).toBe('unfinished');
    expect(call).toHaveBeenCalledTimes(2);
    expect(log.error).not.toHaveBeenCalled();
  });
});
