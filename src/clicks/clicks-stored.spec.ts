import { setImmediate as turn } from 'node:timers/promises';
import { QuietLogger } from '../../test/support/shared/quiet-logger';
import { type ClicksStored, ClicksStoredEvents } from './clicks-stored';

const event = (number: number): ClicksStored => ({
  batch: { node: 'a1b2c3d4', number },
  links: new Map([['a'.repeat(24), 2]]),
  clicks: 2,
  durationMs: 1,
});

/** A listener whose calls end when the test resolves them. */
class HeldListener {
  readonly name = 'held';
  readonly batches: number[] = [];
  readonly signals: AbortSignal[] = [];
  private release: () => void = () => undefined;

  onClicksStored({ batch }: ClicksStored, signal: AbortSignal): Promise<void> {
    this.batches.push(batch.number);
    this.signals.push(signal);
    return new Promise((resolve) => (this.release = resolve));
  }

  async finishEvent(): Promise<void> {
    this.release();
    await turn();
    await turn();
  }
}

let log: QuietLogger;
beforeEach(() => {
  log = new QuietLogger();
});

function subscribed(timeoutMs?: number) {
  const events = new ClicksStoredEvents(log, timeoutMs);
  const held = new HeldListener();
  const seen: number[] = [];
  events.subscribe(held);
  events.subscribe({ name: 'other', onClicksStored: ({ batch }) => void seen.push(batch.number) });
  return { events, held, seen };
}

describe('An event of recorded clicks', () => {
  it('reaches every listener after the event-loop turn that emitted it, in order', async () => {
    const { events, seen } = subscribed();
    events.emit(event(1));
    events.emit(event(2));
    expect(seen).toEqual([]);
    await turn();
    await turn();
    expect(seen).toEqual([1, 2]);
  });

  it('waits only for a slow listener, which receives one event at a time', async () => {
    const { events, held, seen } = subscribed();
    for (const number of [1, 2, 3]) events.emit(event(number));
    await turn();
    await turn();
    expect(held.batches).toEqual([1]);
    expect(seen).toEqual([1, 2, 3]);
    await held.finishEvent();
    expect(held.batches).toEqual([1, 2]);
  });

  it('is dropped if too many later events are waiting, and the drop is logged once', async () => {
    const events = new ClicksStoredEvents(log);
    const held = new HeldListener();
    events.subscribe(held);
    events.emit(event(0));
    await turn();
    for (let number = 1; number <= 1000; number += 1) events.emit(event(number));
    for (let i = 0; i < 40; i += 1) await held.finishEvent();
    expect(held.batches).toEqual([0, ...Array.from({ length: 32 }, (_, i) => 969 + i)]);
    expect(log.linesAt('warn')).toHaveLength(1);
    expect(log.linesAt('info')).toEqual([
      expect.objectContaining({ extra: { listener: 'held', missed: 968 } }),
    ]);
  });

  it('is logged if a listener throws, and the listener gets later events', async () => {
    const events = new ClicksStoredEvents(log);
    const seen: number[] = [];
    events.subscribe({
      name: 'broken',
      onClicksStored: ({ batch }) => {
        seen.push(batch.number);
        throw new Error('no');
      },
    });
    events.emit(event(1));
    events.emit(event(2));
    await turn();
    await turn();
    expect(seen).toEqual([1, 2]);
    expect(log.linesAt('error').map(({ extra }) => extra)).toEqual([
      expect.objectContaining({ listener: 'broken' }),
      expect.objectContaining({ listener: 'broken' }),
    ]);
  });

  it('is aborted if a listener takes too long, and never overlaps the next event', async () => {
    jest.useFakeTimers({ doNotFake: ['setImmediate'] });
    try {
      const { events, held } = subscribed(1000);
      events.emit(event(1));
      events.emit(event(2));
      await turn();
      await turn();
      expect(held.signals[0]?.aborted).toBe(false);
      jest.advanceTimersByTime(1000);
      expect(held.signals[0]?.aborted).toBe(true);
      expect(held.batches).toEqual([1]);
      expect(log.linesAt('warn')).toHaveLength(1);
      await held.finishEvent();
      expect(held.batches).toEqual([1, 2]);
    } finally {
      jest.useRealTimers();
    }
  });

  it('is aborted at shutdown, and waiting events are dropped', async () => {
    const { events, held } = subscribed();
    events.emit(event(1));
    events.emit(event(2));
    await turn();
    await turn();
    const stopped = events.stop();
    expect(held.signals[0]?.aborted).toBe(true);
    await held.finishEvent();
    await stopped;
    events.emit(event(3));
    await turn();
    await turn();
    expect(held.batches).toEqual([1]);
  });
});
