import { CoalescedRunner, ReadWriteLock } from './synced-listing';

/** Returns a job whose runs end when the test resolves them. */
function heldJob() {
  const ends: ((error?: Error) => void)[] = [];
  const job = () =>
    new Promise<void>((resolve, reject) => {
      ends.push((error) => (error === undefined ? resolve() : reject(error)));
    });
  return { ends, runs: new CoalescedRunner(job) };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

describe('the latest run', () => {
  it('starts one new run for all callers that arrive during a run', async () => {
    const { ends, runs } = heldJob();
    const first = runs.run();
    const later = [runs.run(), runs.run()];
    await turn();
    expect(ends).toHaveLength(1);
    ends[0]?.();
    await first;
    await turn();
    expect(ends).toHaveLength(2);
    ends[1]?.();
    await Promise.all(later);
    expect(ends).toHaveLength(2);
  });

  it('runs again after a failure', async () => {
    const { ends, runs } = heldJob();
    const first = runs.run();
    const second = runs.run();
    ends[0]?.(new Error('the database is down'));
    await expect(first).rejects.toThrow('down');
    await turn();
    ends[1]?.();
    await expect(second).resolves.toBeUndefined();
    const third = runs.run();
    await turn();
    ends[2]?.();
    await expect(third).resolves.toBeUndefined();
  });
});

describe('the lock of a listing', () => {
  it('runs readers concurrently, and a writer alone between earlier and later readers', async () => {
    const lock = new ReadWriteLock();
    const ends: (() => void)[] = [];
    const log: string[] = [];
    const job = (name: string) => () =>
      new Promise<void>((resolve) => {
        log.push(name);
        ends.push(resolve);
      });
    const all = [
      lock.read(job('first reader')),
      lock.read(job('second reader')),
      lock.write(job('writer')),
      lock.read(job('later reader')),
    ];
    await turn();
    expect(log).toEqual(['first reader', 'second reader']);
    for (const end of ends.splice(0)) end();
    await turn();
    expect(log.slice(2)).toEqual(['writer']);
    ends.pop()?.();
    await turn();
    expect(log.slice(3)).toEqual(['later reader']);
    ends.pop()?.();
    await Promise.all(all);
  });

  it('is released after a failed job', async () => {
    const lock = new ReadWriteLock();
    const failing = () => Promise.reject(new Error('the database is down'));
    await expect(lock.write(failing)).rejects.toThrow('down');
    await expect(lock.read(failing)).rejects.toThrow('down');
    await expect(lock.write(() => Promise.resolve(1))).resolves.toBe(1);
  });
});
