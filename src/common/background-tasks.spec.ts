import { QuietLogger } from '../../test/support/shared/quiet-logger';
import { BackgroundTasks } from './background-tasks';

describe('BackgroundTasks', () => {
  it('starts a task after the response is sent and logs its failure', async () => {
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

  it('accepts at most a thousand tasks at once', async () => {
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

  it('waits for running tasks when it stops', async () => {
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
});
