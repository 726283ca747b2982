import { Client } from '../client-address/client-address';
import { HashingQueue, type PasswordKind } from './password-hash';
import { ClientGoneError, HashingOverloadedError } from './hashing.errors';

/** Runs named tasks until the test ends them, and records the order in which they start. */
class Tasks {
  readonly begun: string[] = [];
  readonly refused: string[] = [];
  private readonly ends: (() => void)[] = [];

  constructor(private readonly queues: HashingQueue) {}

  add(kind: PasswordKind, client: Client | string, name: string): Promise<void> {
    const who = typeof client === 'string' ? new Client(client) : client;
    const done = this.queues.run(kind, who, () => {
      this.begun.push(name);
      return new Promise<void>((resolve) => this.ends.push(resolve));
    });
    return done.catch((error: unknown) => {
      this.refused.push(`${name}: ${(error as Error).name}`);
    });
  }

  /** Ends the oldest running task, so that the next task can start. */
  async endOne(): Promise<void> {
    this.ends.shift()?.();
    await settle();
  }

  async endAll(): Promise<void> {
    while (this.ends.length > 0) await this.endOne();
  }
}

const settle = () => new Promise((resolve) => setImmediate(resolve));
const many = (count: number): number[] => Array.from({ length: count }, (_, i) => i);

describe('HashingQueue', () => {
  let tasks: Tasks;
  beforeEach(() => (tasks = new Tasks(new HashingQueue(1))));

  it('runs a limited number of tasks at a time, and finally all of them', async () => {
    tasks = new Tasks(new HashingQueue(2));
    const all = many(5).map((i) => tasks.add('account', 'a', String(i)));
    await settle();
    expect(tasks.begun).toEqual(['0', '1']);
    await tasks.endOne();
    expect(tasks.begun).toEqual(['0', '1', '2']);
    await tasks.endAll();
    await Promise.all(all);
    expect(tasks.begun).toEqual(['0', '1', '2', '3', '4']);
  });

  it('starts the next task after a failed one', async () => {
    const queues = new HashingQueue(1);
    const client = new Client('a');
    const failed = queues.run('link', client, () => Promise.reject(new Error('no')));
    const next = queues.run('link', client, () => Promise.resolve('done'));
    await expect(failed).rejects.toThrow('no');
    expect(await next).toBe('done');
    expect(await queues.run('account', client, () => Promise.resolve('again'))).toBe('again');
  });

  it('lets clients take turns, so that a client with many tasks runs one task per turn', async () => {
    for (const i of many(40)) void tasks.add('account', 'flood', `flood ${i}`);
    void tasks.add('account', 'b', 'b 0');
    void tasks.add('account', 'b', 'b 1');
    void tasks.add('account', 'c', 'c 0');
    await settle();
    for (let i = 0; i < 6; i++) await tasks.endOne();
    expect(tasks.begun.slice(0, 7)).toEqual([
      ...['flood 0', 'flood 1', 'b 0', 'c 0', 'flood 2', 'b 1', 'flood 3'],
    ]);
    await tasks.endAll();
  });

  it('prefers account passwords, but runs a link password after three of them', async () => {
    for (const i of many(3)) void tasks.add('link', 'guesser', `link ${i}`);
    for (const i of many(5)) void tasks.add('account', `client ${i}`, `account ${i}`);
    await settle();
    await tasks.endAll();
    expect(tasks.begun).toEqual([
      ...['link 0', 'account 0', 'account 1', 'account 2', 'link 1', 'account 3', 'account 4'],
      'link 2',
    ]);
  });

  it('queues 64 tasks of a kind and rejects any more', async () => {
    for (const i of many(70)) void tasks.add('link', 'flood', `flood ${i}`);
    await settle();
    expect(tasks.refused).toEqual(
      [65, 66, 67, 68, 69].map((i) => `flood ${i}: HashingOverloadedError`),
    );
    void tasks.add('account', 'b', 'sign-in');
    await tasks.endOne();
    expect(tasks.begun).toEqual(['flood 0', 'sign-in']);
    await tasks.endAll();
  });

  it('drops a task of the client that has filled the queue to accept another client', async () => {
    for (const i of many(65)) void tasks.add('account', 'flood', `flood ${i}`);
    void tasks.add('account', 'b', 'b');
    await settle();
    expect(tasks.refused).toEqual(['flood 64: HashingOverloadedError']);
    await tasks.endOne();
    await tasks.endOne();
    expect(tasks.begun).toEqual(['flood 0', 'flood 1', 'b']);
    await tasks.endAll();
  });

  it('rejects a new client only if every client has a single task in the queue', async () => {
    for (const i of many(65)) void tasks.add('account', `client ${i}`, `client ${i}`);
    void tasks.add('account', 'late', 'late');
    await settle();
    expect(tasks.refused).toEqual(['late: HashingOverloadedError']);
    await tasks.endAll();
    expect(tasks.begun).toHaveLength(65);
  });

  it('does not run tasks for disconnected clients', async () => {
    const socket = { destroyed: false, readableEnded: false };
    void tasks.add('account', 'first', 'first');
    for (const i of many(10)) void tasks.add('account', new Client('left', socket), `left ${i}`);
    void tasks.add(
      'account',
      new Client('left', { destroyed: false, readableEnded: false }),
      'stayed',
    );
    void tasks.add('account', 'b', 'b');
    socket.destroyed = true;
    await tasks.endAll();
    expect(tasks.begun).toEqual(['first', 'stayed', 'b']);
    expect(tasks.refused).toEqual(many(10).map((i) => `left ${i}: ClientGoneError`));
  });

  it('first drops the tasks of disconnected clients when the queue is full', async () => {
    const socket = { destroyed: true, readableEnded: false };
    void tasks.add('link', 'first', 'first');
    for (const i of many(64)) void tasks.add('link', new Client(`c${i}`, socket), `gone ${i}`);
    void tasks.add('link', 'b', 'b');
    await settle();
    await tasks.endAll();
    expect(tasks.begun).toEqual(['first', 'b']);
    expect(tasks.refused).toHaveLength(64);
  });

  it('runs every task after a limited time', async () => {
    jest.useFakeTimers({ doNotFake: ['setImmediate'] });
    try {
      void tasks.add('account', 'a', 'runs');
      void tasks.add('account', 'b', 'waits');
      jest.advanceTimersByTime(19_999);
      await settle();
      expect(tasks.refused).toEqual([]);
      jest.advanceTimersByTime(1);
      await settle();
      expect(tasks.refused).toEqual(['waits: HashingOverloadedError']);
      void tasks.add('account', 'c', 'comes later');
      await tasks.endOne();
      expect(tasks.begun).toEqual(['runs', 'comes later']);
      await tasks.endAll();
    } finally {
      jest.useRealTimers();
    }
  });

  it('returns 503 with the time to retry', () => {
    const error = new HashingOverloadedError();
    expect([error.status, error.code, error.headers]).toEqual([
      503,
      'internal_error',
      { 'Retry-After': '5' },
    ]);
    expect([error.logLevel, new ClientGoneError().logLevel]).toEqual(['debug', 'debug']);
  });
});
