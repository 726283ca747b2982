import { aQuery } from '../../testing/counted';
import { DatabaseUnavailableError } from '../../common/errors';
import type { PrimaryClient } from '../../processes/rpc/primary-client';
import { RpcError, RpcFailure } from '../../processes/rpc/rpc';
import { RemoteEngine } from './remote-engine';
import {
  StatisticsBusyError,
  StatisticsFailedError,
  StatisticsSlowError,
  StatisticsUnavailableError,
} from './statistics.errors';

/** What a question is answered with when the primary, or the process behind it, fails like that. */
function failing(error: Error): Promise<unknown> {
  const primary: Pick<PrimaryClient, 'call'> = { call: () => Promise.reject(error) };
  const engine = new RemoteEngine(primary as PrimaryClient);
  const context = { client: { key: 'ann' }, requestKey: null, clicks: null, isPublic: false };
  return engine.count({ links: [] }, aQuery({}), 10, context).catch((thrown: unknown) => thrown);
}

const ended = (kind: 'failed' | 'gone' | 'timeout', code?: string) =>
  new RpcError('statistics', 'count', kind, 'it says so', code);

describe('A question that the statistics process does not answer', () => {
  it.each<[string, Error, new (...args: never[]) => Error]>([
    ['takes too long, said by the primary', new RpcFailure('slow', 'x'), StatisticsSlowError],
    ['takes too long, said over a channel', ended('failed', 'slow'), StatisticsSlowError],
    ['is one too many', ended('failed', 'busy'), StatisticsBusyError],
    ['is late', ended('timeout'), StatisticsBusyError],
    ['has no database', ended('failed', 'database'), DatabaseUnavailableError],
    [
      'has lost the process, said by the primary',
      ended('failed', 'gone'),
      StatisticsUnavailableError,
    ],
    ['has lost the primary', ended('gone'), StatisticsUnavailableError],
    ['has met a defect', ended('failed'), StatisticsFailedError],
  ])('which %s', async (_, error, expected) => {
    const thrown = await failing(error);
    expect((thrown as Error).constructor).toBe(expected);
  });

  it('is told of in the log where only the operator can help', async () => {
    expect(await failing(ended('failed', 'slow'))).toMatchObject({
      status: 503,
      message: 'These statistics take too long to count, try again shortly',
      logLevel: 'warn',
    });
    expect(await failing(ended('failed', 'busy'))).toMatchObject({ status: 503, logLevel: 'info' });
  });

  it('is no line of the log where nobody waits for it any more', async () => {
    const primary = { call: () => new Promise(() => undefined) };
    const engine = new RemoteEngine(primary as unknown as PrimaryClient);
    const reader = new AbortController();
    const asking = { requestKey: null, clicks: null, isPublic: false };
    const ask = () => {
      const client = { key: 'ann', signal: reader.signal };
      return engine.count({ links: [] }, aQuery({}), 10, { client, ...asking });
    };
    const asked = ask();
    reader.abort();
    const abandoned = { logLevel: 'debug', message: 'Nobody waits for these statistics any more' };
    await expect(asked).rejects.toMatchObject(abandoned);
    await expect(ask()).rejects.toMatchObject(abandoned);
  });
});
