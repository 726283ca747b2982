import {
  StatisticsAbandonedError,
  StatisticsBusyError,
  StatisticsSlowError,
} from './statistics.errors';
import { type StatisticsClient, type QueuedQuery, QueryQueue } from './query-queue';

const LIMITS = { most: 6, mostOfClient: 4, waitMs: 60_000, runMs: 60_000 };

/** A counting that ends when it is told to, and what has been begun. */
class Countings {
  readonly begun: string[] = [];
  readonly signals = new Map<string, AbortSignal>();
  private readonly ends = new Map<string, (outcome: string | Error) => void>();

  of(name: string, { key = null as string | null, large = false } = {}): QueuedQuery<string> {
    return {
      key,
      large,
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

  /** Ends one and lets the next begin. */
  async end(name: string, outcome: string | Error = name): Promise<void> {
    this.ends.get(name)?.(outcome);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

const by = (key: string, signal?: AbortSignal): StatisticsClient => ({ key, signal });

describe('The queue of queries', () => {
  let queue: QueryQueue;
  let countings: Countings;
  beforeEach(() => {
    queue = new QueryQueue(LIMITS);
    countings = new Countings();
  });

  it('counts one query at a time and gives each client its turn', async () => {
    const asked = ['a1', 'a2', 'a3', 'b1', 'c1'].map((name) =>
      queue.add(by(name.charAt(0)), countings.of(name)),
    );
    expect(countings.begun).toEqual(['a1']);
    const order = ['a1', 'a2', 'b1', 'c1', 'a3'];
    for (const name of order) await countings.end(name);
    expect(countings.begun).toEqual(order);
    expect(await Promise.all(asked)).toEqual(['a1', 'a2', 'a3', 'b1', 'c1']);
  });

  it('lets a small query wait for one large one, not for all of them', async () => {
    const asked = ['a', 'b', 'c', 'd'].map((client) =>
      queue.add(by(client), countings.of(client, { large: true })),
    );
    asked.push(queue.add(by('visitor'), countings.of('small')));
    await countings.end('a');
    expect(countings.begun).toEqual(['a', 'small']);
    for (const name of ['small', 'b', 'c', 'd']) await countings.end(name);
    await Promise.all(asked);
  });

  it('counts equal queries once, at the first turn of all who ask', async () => {
    const first = queue.add(by('x'), countings.of('running'));
    const other = queue.add(by('a'), countings.of('a1'));
    const late = queue.add(by('a'), countings.of('equal', { key: 'k' }));
    const joined = queue.add(by('b'), countings.of('never', { key: 'k' }));
    await countings.end('running');
    await countings.end('a1');
    const again = queue.add(by('c'), countings.of('never', { key: 'k' }));
    await countings.end('equal');
    expect(await Promise.all([first, other, late, joined, again])).toEqual([
      'running',
      'a1',
      'equal',
      'equal',
      'equal',
    ]);
    expect(countings.begun).toEqual(['running', 'a1', 'equal']);
    const anew = queue.add(by('a'), countings.of('anew', { key: 'k' }));
    await countings.end('anew');
    expect(await anew).toBe('anew');
  });

  it('refuses what is beyond its bounds, for one client and for all', async () => {
    const held = [1, 2, 3, 4].map((i) => queue.add(by('a'), countings.of(`a${i}`)));
    await expect(queue.add(by('a'), countings.of('a5'))).rejects.toMatchObject({
      status: 503,
      code: 'internal_error',
      headers: { 'Retry-After': expect.stringMatching(/^\d+$/) as string },
    });
    held.push(queue.add(by('b'), countings.of('b1')), queue.add(by('c'), countings.of('c1')));
    await expect(queue.add(by('d'), countings.of('d1'))).rejects.toThrow(StatisticsBusyError);
    for (let i = 0; i < 6; i += 1) await countings.end(countings.begun[i]!);
    expect(await Promise.all(held)).toHaveLength(6);
    const after = queue.add(by('d'), countings.of('d1'));
    await countings.end('d1');
    expect(await after).toBe('d1');
  });

  it('does not count for who has gone, and stops what nobody waits for', async () => {
    const [one, two] = [new AbortController(), new AbortController()];
    const running = queue.add(by('a', one.signal), countings.of('a', { key: 'k' }));
    const joined = queue.add(by('b', two.signal), countings.of('never', { key: 'k' }));
    const gone = new AbortController();
    const waiting = queue.add(by('c', gone.signal), countings.of('c'));
    const last = queue.add(by('d'), countings.of('d'));
    gone.abort();
    await expect(waiting).rejects.toThrow(StatisticsAbandonedError);
    one.abort();
    await expect(running).rejects.toThrow(StatisticsBusyError);
    expect(countings.signals.get('a')!.aborted).toBe(false);
    two.abort();
    await expect(joined).rejects.toThrow(StatisticsBusyError);
    expect(countings.signals.get('a')!.aborted).toBe(true);
    expect(countings.begun).toEqual(['a']);
    await countings.end('a', new Error('cancelled'));
    await countings.end('d');
    expect(await last).toBe('d');
    expect(countings.begun).toEqual(['a', 'd']);
    await expect(queue.add(by('e', gone.signal), countings.of('e'))).rejects.toThrow();
  });

  it('gives up what runs or waits too long, and goes on', async () => {
    queue = new QueryQueue({ ...LIMITS, runMs: 20 });
    const slow = queue.add(by('a'), countings.of('slow'));
    await expect(slow).rejects.toThrow(StatisticsSlowError);
    expect(countings.signals.get('slow')!.aborted).toBe(true);
    const next = queue.add(by('b'), countings.of('next'));
    expect(countings.begun).toEqual(['slow']);
    await countings.end('slow', new Error('cancelled'));
    expect(countings.begun).toEqual(['slow', 'next']);
    await countings.end('next');
    expect(await next).toBe('next');

    queue = new QueryQueue({ ...LIMITS, waitMs: 20 });
    const first = queue.add(by('a'), countings.of('first'));
    const behind = queue.add(by('b'), countings.of('behind'));
    await expect(first).rejects.toThrow(StatisticsBusyError);
    await expect(behind).rejects.toThrow(StatisticsBusyError);
    await countings.end('first', new Error('cancelled'));
    expect(countings.begun).not.toContain('behind');
  });

  it('hands a failure to all who wait', async () => {
    const asked = ['a', 'b'].map((client) =>
      queue.add(by(client), countings.of(client, { key: 'k' })),
    );
    const failed = Promise.all(
      asked.map((answer) => expect(answer).rejects.toThrow('out of order')),
    );
    await countings.end('a', new Error('out of order'));
    await failed;
  });
});
