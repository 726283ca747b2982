import { CoalescedRunner } from './synced-listing';

/** A job whose runs end when the test says so. */
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
  it('gives who asks during a run the next one, which all of them share', async () => {
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
    ends[0]?.(new Error('the database is away'));
    await expect(first).rejects.toThrow('away');
    await turn();
    ends[1]?.();
    await expect(second).resolves.toBeUndefined();
    const third = runs.run();
    await turn();
    ends[2]?.();
    await expect(third).resolves.toBeUndefined();
  });
});
