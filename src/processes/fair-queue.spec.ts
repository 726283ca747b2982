import { FairQueue, type QueueClient, type QueuedTask, type QueueRefusal } from './fair-queue';

class Refused extends Error {
  constructor(readonly reason: QueueRefusal) {
    super(reason);
  }
}

const OPTIONS = {
  width: 1,
  maxInARow: 1,
  ...{ maxWaiting: 6, maxOfClient: 4, waitMs: 60_000, runMs: 60_000 },
  refuse: (reason: QueueRefusal) => new Refused(reason),
};

/** Starts tasks that end when the test resolves them, and records which have begun. */
class Tasks {
  readonly begun: string[] = [];
  readonly signals = new Map<string, AbortSignal>();
  private readonly ends = new Map<string, (outcome: string | Error) => void>();

  named(
    name: string,
    { key = null, lane = 0 }: { key?: string | null; lane?: 0 | 1 } = {},
  ): QueuedTask<string> {
    return {
      key,
      lane,
      run: (signal) => {
        this.begun.push(name);
        this.signals.set(name, signal);
        return new Promise((resolve, reject) => {
          this.ends.set(name, (outcome) => {
            if (outcome instanceof Error) reject(outcome);
            else resolve(outcome);
          });
        });
      },
    };
  }

  /** Ends a task and lets the next one begin. */
  async end(name: string, outcome: string | Error = name): Promise<void> {
    this.ends.get(name)?.(outcome);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

const by = (key: string, signal?: AbortSignal): QueueClient => ({ key, signal });

describe('A fair queue', () => {
  let queue: FairQueue;
  let tasks: Tasks;
  beforeEach(() => {
    queue = new FairQueue(OPTIONS);
    tasks = new Tasks();
  });

  it('runs one task at a time, and clients take turns', async () => {
    const asked = ['a1', 'a2', 'a3', 'b1', 'c1'].map((name) =>
      queue.run(by(name.charAt(0)), tasks.named(name)),
    );
    expect(tasks.begun).toEqual(['a1']);
    const order = ['a1', 'a2', 'b1', 'c1', 'a3'];
    for (const name of order) await tasks.end(name);
    expect(tasks.begun).toEqual(order);
    expect(await Promise.all(asked)).toEqual(['a1', 'a2', 'a3', 'b1', 'c1']);
  });

  it('delays a task by at most one task of the other lane', async () => {
    const asked = ['a', 'b', 'c', 'd'].map((client) =>
      queue.run(by(client), tasks.named(client, { lane: 1 })),
    );
    asked.push(queue.run(by('visitor'), tasks.named('small')));
    await tasks.end('a');
    expect(tasks.begun).toEqual(['a', 'small']);
    for (const name of ['small', 'b', 'c', 'd']) await tasks.end(name);
    await Promise.all(asked);
  });

  it('runs equal tasks once, at the first turn of all their callers', async () => {
    const first = queue.run(by('x'), tasks.named('running'));
    const other = queue.run(by('a'), tasks.named('a1'));
    const late = queue.run(by('a'), tasks.named('equal', { key: 'k' }));
    const joined = queue.run(by('b'), tasks.named('never', { key: 'k' }));
    await tasks.end('running');
    await tasks.end('a1');
    const again = queue.run(by('c'), tasks.named('never', { key: 'k' }));
    await tasks.end('equal');
    expect(await Promise.all([first, other, late, joined, again])).toEqual([
      'running',
      'a1',
      'equal',
      'equal',
      'equal',
    ]);
    expect(tasks.begun).toEqual(['running', 'a1', 'equal']);
    const later = queue.run(by('a'), tasks.named('later', { key: 'k' }));
    await tasks.end('later');
    expect(await later).toBe('later');
  });

  it('rejects tasks beyond its limits, per client and in total', async () => {
    const held = [1, 2, 3, 4].map((i) => queue.run(by('a'), tasks.named(`a${i}`)));
    await expect(queue.run(by('a'), tasks.named('a5'))).rejects.toThrow('full');
    const other = tasks.named('c1', { lane: 1 });
    held.push(queue.run(by('b'), tasks.named('b1')), queue.run(by('c'), other));
    for (const lane of [0, 1] as const) {
      const another = queue.run(by('d'), tasks.named('d1', { lane }));
      await expect(another).rejects.toThrow('full');
    }
    for (let i = 0; i < 6; i += 1) await tasks.end(tasks.begun[i]!);
    expect(await Promise.all(held)).toHaveLength(6);
    const after = queue.run(by('d'), tasks.named('d1'));
    await tasks.end('d1');
    expect(await after).toBe('d1');
  });

  it('runs nothing for disconnected clients, and stops tasks without waiting callers', async () => {
    const [one, two] = [new AbortController(), new AbortController()];
    const running = queue.run(by('a', one.signal), tasks.named('a', { key: 'k' }));
    const joined = queue.run(by('b', two.signal), tasks.named('never', { key: 'k' }));
    const gone = new AbortController();
    const waiting = queue.run(by('c', gone.signal), tasks.named('c'));
    const last = queue.run(by('d'), tasks.named('d'));
    gone.abort();
    await expect(waiting).rejects.toThrow('gone');
    one.abort();
    await expect(running).rejects.toThrow('gone');
    expect(tasks.signals.get('a')!.aborted).toBe(false);
    two.abort();
    await expect(joined).rejects.toThrow('gone');
    expect(tasks.signals.get('a')!.aborted).toBe(true);
    expect(tasks.begun).toEqual(['a']);
    await tasks.end('a', new Error('cancelled'));
    await tasks.end('d');
    expect(await last).toBe('d');
    expect(tasks.begun).toEqual(['a', 'd']);
    await expect(queue.run(by('e', gone.signal), tasks.named('e'))).rejects.toThrow();
  });

  it('cancels a task that runs or waits too long, and continues', async () => {
    queue = new FairQueue({ ...OPTIONS, runMs: 20 });
    const slow = queue.run(by('a'), tasks.named('slow'));
    await expect(slow).rejects.toThrow('slow');
    expect(tasks.signals.get('slow')!.aborted).toBe(true);
    const next = queue.run(by('b'), tasks.named('next'));
    expect(tasks.begun).toEqual(['slow']);
    await tasks.end('slow', new Error('cancelled'));
    expect(tasks.begun).toEqual(['slow', 'next']);
    await tasks.end('next');
    expect(await next).toBe('next');

    queue = new FairQueue({ ...OPTIONS, waitMs: 20 });
    const first = queue.run(by('a'), tasks.named('first'));
    const behind = queue.run(by('b'), tasks.named('behind'));
    await expect(first).rejects.toThrow('slow');
    await expect(behind).rejects.toThrow('late');
    await tasks.end('first', new Error('cancelled'));
    expect(tasks.begun).not.toContain('behind');
  });

  it('lets a task exceed its time limit until another task waits', async () => {
    queue = new FairQueue({ ...OPTIONS, runMs: 20 });
    const load = (): QueuedTask<string> => ({
      ...tasks.named('load', { key: 'k' }),
      mayContinue: () => true,
    });
    await expect(queue.run(by('a'), load())).rejects.toThrow('slow');
    expect(tasks.signals.get('load')!.aborted).toBe(false);
    // Another request joins the running task.
    await expect(queue.run(by('a'), load())).rejects.toThrow('slow');
    expect(tasks.begun).toEqual(['load']);
    const joined = queue.run(by('a'), load());
    await tasks.end('load');
    expect(await joined).toBe('load');

    await expect(queue.run(by('a'), load())).rejects.toThrow('slow');
    const next = queue.run(by('b'), tasks.named('next'));
    expect(tasks.signals.get('load')!.aborted).toBe(true);
    await tasks.end('load', new Error('cancelled'));
    await tasks.end('next');
    expect(await next).toBe('next');
    expect(tasks.begun).toEqual(['load', 'load', 'next']);
  });

  it('lets a task continue even if its last client has waited too long', async () => {
    queue = new FairQueue({ ...OPTIONS, waitMs: 20 });
    const load = (): QueuedTask<string> => ({
      ...tasks.named('load', { key: 'k' }),
      mayContinue: () => true,
    });
    await expect(queue.run(by('a'), load())).rejects.toThrow('slow');
    expect(tasks.signals.get('load')!.aborted).toBe(false);
    const joined = queue.run(by('a'), load());
    await tasks.end('load');
    expect(await joined).toBe('load');
    expect(tasks.begun).toEqual(['load']);
  });

  it('ends a task at its time limit if another task waits', async () => {
    queue = new FairQueue({ ...OPTIONS, runMs: 20 });
    const load = { ...tasks.named('load'), mayContinue: () => true };
    const slow = queue.run(by('a'), load);
    const next = queue.run(by('b'), tasks.named('next'));
    await expect(slow).rejects.toThrow('slow');
    expect(tasks.signals.get('load')!.aborted).toBe(true);
    await tasks.end('load', new Error('cancelled'));
    await tasks.end('next');
    expect(await next).toBe('next');
  });

  it('returns a failure to all waiting callers', async () => {
    const asked = ['a', 'b'].map((client) =>
      queue.run(by(client), tasks.named(client, { key: 'k' })),
    );
    const failed = Promise.all(
      asked.map((answer) => expect(answer).rejects.toThrow('out of order')),
    );
    await tasks.end('a', new Error('out of order'));
    await failed;
  });
});
