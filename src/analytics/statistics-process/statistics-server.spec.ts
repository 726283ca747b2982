import { aQuery } from '../../../test/support/shared/counted';
import type {
  Cancellation,
  StatisticsResult,
} from '../../engines/click-engine/query/statistics-query';
import type { StartedEngine } from './counting-engine';
import { StatisticsServer } from './statistics-server';

const QUESTION = {
  source: { links: [] },
  query: aQuery({}),
  ...{ client: 'ann', requestKey: 'all', clicks: null, isPublic: false },
};
const RUN_MS = 45_000;

/** Returns a server whose queries end when the test resolves them, with a simulated CPU time. */
function aServer() {
  const cancellations: Cancellation[] = [];
  const ends: ((result: StatisticsResult) => void)[] = [];
  const loading = { remainingMs: 0 };
  const onStuck = jest.fn();
  const engine = {
    count: (_source: unknown, _query: unknown, _rows: unknown, cancellation: Cancellation) => {
      cancellations.push(cancellation);
      return new Promise<StatisticsResult>((resolve) => ends.push(resolve));
    },
  };
  const state = { loading: loading as typeof loading | null };
  const connect = () => Promise.resolve();
  const started = {
    ...{ engine, width: 1, connect },
    loading: () => state.loading,
  } as unknown as StartedEngine;
  const server = new StatisticsServer(started, onStuck);
  return { server, cancellations, ends, state, loading, onStuck };
}

describe('A query that exceeds its time limit', () => {
  let cpuMs: number;
  beforeEach(() => {
    jest.useFakeTimers();
    cpuMs = 0;
    jest.spyOn(process, 'cpuUsage').mockImplementation(() => ({ user: cpuMs * 1000, system: 0 }));
  });
  afterEach(() => {
    jest.useRealTimers();
    jest.restoreAllMocks();
  });

  it('continues if it is reading clicks, and says when to retry', async () => {
    const { server, cancellations, ends, loading } = aServer();
    const first = server.count(QUESTION, 10);
    loading.remainingMs = 61_500;
    const refused = expect(first).rejects.toMatchObject({
      status: 503,
      message: 'The statistics are being loaded; try again in 62 seconds',
      headers: { 'Retry-After': '62' },
    });
    await jest.advanceTimersByTimeAsync(RUN_MS);
    await refused;
    const second = server.count(QUESTION, 10);
    ends[0]?.({ summary: { clicks: 7 } } as StatisticsResult);
    expect(await second).toMatchObject({ summary: { clicks: 7 } });
    expect(cancellations.map(({ isCancelled }) => isCancelled)).toEqual([false]);
  });

  it('includes the time spent in the queue', async () => {
    const { server } = aServer();
    const first = expect(server.count(QUESTION, 10)).rejects.toThrow();
    await jest.advanceTimersByTimeAsync(1000);
    const other = { ...QUESTION, client: 'eve', requestKey: 'other' };
    const second = expect(server.count(other, 10)).rejects.toThrow();
    await jest.advanceTimersByTimeAsync(RUN_MS);
    await Promise.all([first, second]);
  });

  it('is cancelled if no clicks are being read, and ends the process if it does not stop', async () => {
    const { server, cancellations, state, onStuck } = aServer();
    state.loading = null;
    const refused = expect(server.count(QUESTION, 10)).rejects.toMatchObject({
      headers: { 'Retry-After': '10' },
    });
    await jest.advanceTimersByTimeAsync(RUN_MS);
    await refused;
    expect(cancellations[0]?.isCancelled).toBe(true);
    // On a busy machine, the process gets little CPU time.
    for (let i = 0; i < 20; i += 1) {
      cpuMs += 1000;
      await jest.advanceTimersByTimeAsync(10_000);
    }
    expect(onStuck).not.toHaveBeenCalled();
    cpuMs += 20_000;
    await jest.advanceTimersByTimeAsync(10_000);
    expect(onStuck).toHaveBeenCalled();
  });

  it('ends the process if no query makes progress', async () => {
    const { server, state, onStuck } = aServer();
    state.loading = null;
    const refused = expect(server.count(QUESTION, 10)).rejects.toThrow();
    await jest.advanceTimersByTimeAsync(RUN_MS);
    await refused;
    await jest.advanceTimersByTimeAsync(50_000);
    expect(onStuck).not.toHaveBeenCalled();
    await jest.advanceTimersByTimeAsync(10_000);
    expect(onStuck).toHaveBeenCalled();
  });
});
