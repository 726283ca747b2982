import { Turns } from './turns';

describe('Turns', () => {
  it('runs no more tasks at once than it is wide, in their order, and all of them', async () => {
    const turns = new Turns(2);
    const [begun, ends]: [number[], (() => void)[]] = [[], []];
    const all = Array.from({ length: 5 }, (_, i) =>
      turns.take(async () => {
        begun.push(i);
        await new Promise<void>((resolve) => ends.push(resolve));
        return i;
      }),
    );
    const settle = () => new Promise((resolve) => setImmediate(resolve));
    await settle();
    expect(begun).toEqual([0, 1]);
    ends.shift()?.();
    await settle();
    expect(begun).toEqual([0, 1, 2]);
    for (; ends.length > 0; await settle()) ends.shift()?.();
    expect(await Promise.all(all)).toEqual([0, 1, 2, 3, 4]);
    expect(begun).toEqual([0, 1, 2, 3, 4]);
  });

  it('gives the place of a task that fails to the next one', async () => {
    const turns = new Turns(1);
    const failed = turns.take(() => Promise.reject(new Error('no')));
    const next = turns.take(() => Promise.resolve('done'));
    await expect(failed).rejects.toThrow('no');
    expect(await next).toBe('done');
    expect(await turns.take(() => Promise.resolve('again'))).toBe('again');
  });
});
