import { WorkerThread } from '../processes/worker-thread';
import { BlockedDestinations } from './blocked-destinations';
import type { AppLog } from '../common/log';

describe('BlockedDestinations', () => {
  afterEach(() => jest.restoreAllMocks());

  it('starts no thread anew for what waits at the end of the program', async () => {
    const log = { error: jest.fn(), warn: jest.fn() };
    const list = new BlockedDestinations({ patterns: ['evil'] }, log as unknown as AppLog);
    let end: (error: Error) => void = () => undefined;
    const call = jest.spyOn(WorkerThread.prototype, 'call').mockImplementation(
      () =>
        new Promise((_, reject) => {
          end = reject;
        }),
    );
    const verdicts = ['a', 'b', 'c'].map((host) => list.judge(`https://${host}.test/`));
    await list.onApplicationShutdown();
    end(new Error('the thread has ended'));
    expect(await Promise.all(verdicts)).toEqual(['unfinished', 'unfinished', 'unfinished']);
    expect(await list.judge('https://d.test/')).toBe('unfinished');
    expect(call).toHaveBeenCalledTimes(1);
    expect(log.error).not.toHaveBeenCalled();
  });
});
