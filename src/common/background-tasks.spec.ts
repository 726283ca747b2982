import { QuietLogger } from '../../test/support/shared/quiet-logger';
import { BackgroundTasks } from './background-tasks';

describe('BackgroundTasks', () => {
  it('starts a task after the response is sent, and logs a failure', async () => {
    const log = new QuietLogger();
    const tasks = new BackgroundTasks(log);
    const events: string[] = [];
    tasks.run('the email', () => {
      events.push('task');
      return Promise.reject(new Error('no server'));
    });
    await new Promise((resolve) => setImmediate(resolve));
    events.push('answer');
    await tasks.onModuleDestroy();
    expect(events).toEqual(['answer', 'task']);
    expect(log.linesAt('warn').map((line) => line.message)).toEqual([
      'Background task failed: the email',
    ]);
  });

  it('accepts at most a thousand waiting tasks', async () => {
    const log = new QuietLogger();
    const tasks = new BackgroundTasks(log);
    let count = 0;
    const task = () => {
      count++;
      return Promise.resolve();
    };
    for (let i = 0; i < 1001; i++) tasks.run('an email', task);
    expect(log.linesAt('warn')).toHaveLength(1);
    await tasks.onModuleDestroy();
    tasks.run('another email', task);
    await tasks.onModuleDestroy();
    expect(count).toBe(1001);
  });

  it('waits for running tasks when the service stops', async () => {
    const tasks = new BackgroundTasks(new QuietLogger());
    const events: string[] = [];
    let finish = (): void => undefined;
    const finished = new Promise<void>((resolve) => (finish = resolve));
    tasks.run('slow', async () => {
      await finished;
      events.push('done');
    });
    const ending = tasks.onModuleDestroy().then(() => events.push('ended'));
    await new Promise((resolve) => setImmediate(resolve));
    finish();
    await ending;
    expect(events).toEqual(['done', 'ended']);
  });

  describe('with repeated tasks', () => {
    beforeEach(() => jest.useFakeTimers());
    afterEach(() => jest.useRealTimers());

    it('runs them again after each run, sooner after a failure, until the service stops', async () => {
      const log = new QuietLogger();
      const tasks = new BackgroundTasks(log);
      const run = jest.fn(() => Promise.resolve());
      run.mockRejectedValueOnce(new Error('no database'));
      tasks.repeat({ name: 'read the file', everyMs: 100, retryMs: 10, run });
      const calls: number[] = [];
      for (const ms of [99, 1, 10, 99, 1]) {
        await jest.advanceTimersByTimeAsync(ms);
        calls.push(run.mock.calls.length);
      }
      expect(calls).toEqual([0, 1, 2, 2, 3]);
      expect(log.linesAt('debug').map(({ message }) => message)).toEqual([
        'Could not read the file; retrying',
      ]);
      await tasks.onModuleDestroy();
      await jest.advanceTimersByTimeAsync(1000);
      expect(run).toHaveBeenCalledTimes(3);
    });

    it('never overlaps runs, and starts no further run when the service stops', async () => {
      const tasks = new BackgroundTasks(new QuietLogger());
      let finish = (): void => undefined;
      const run = jest.fn(() => new Promise<void>((resolve) => (finish = resolve)));
      tasks.repeat({ name: 'read', everyMs: 100, run }, 0);
      await jest.advanceTimersByTimeAsync(1000);
      expect(run).toHaveBeenCalledTimes(1);
      await tasks.onModuleDestroy();
      finish();
      await jest.advanceTimersByTimeAsync(1000);
      expect(run).toHaveBeenCalledTimes(1);
    });

    it('repeats a task until it succeeds, and returns after the first attempt', async () => {
      const tasks = new BackgroundTasks(new QuietLogger());
      const run = jest.fn(() => Promise.resolve());
      for (let i = 0; i < 2; i++) run.mockRejectedValueOnce(new Error('no database'));
      await tasks.retry({ name: 'grant roles', everyMs: 100, run });
      expect(run).toHaveBeenCalledTimes(1);
      await jest.advanceTimersByTimeAsync(1000);
      expect(run).toHaveBeenCalledTimes(3);
    });
  });
});
