import { LocalBus } from '../../infrastructure/change-bus/change-bus.module';
import { EventEmitter } from 'node:events';
import { aQuery } from '../../../test/support/shared/counted';
import { DatabaseUnavailableError } from '../../common/errors';
import { ClickHouseError } from '../../engines/click-house/click-house.errors';
import type { PrimaryCalls } from '../../processes/rpc/primary-calls';
import type { PrimaryClient } from '../../processes/rpc/primary-client';
import { RpcChannel, RpcError, type RpcTransport } from '../../processes/rpc/rpc';
import { ProcessStatisticsEngine } from './process-statistics-engine';
import {
  StatisticsBusyError,
  StatisticsFailedError,
  StatisticsLoadingError,
  StatisticsMisconfiguredError,
  StatisticsSlowError,
  StatisticsUnavailableError,
  toStatisticsError,
} from './statistics.errors';

const QUESTION = {
  source: { links: [] },
  query: aQuery({}),
  ...{ client: { key: 'ann' }, requestKey: null, clicks: null, isPublic: false },
};

/** Simulates the primary behind a channel that carries JSON, as for a worker. */
function overAChannel(error: Error): Pick<PrimaryClient, 'call'> {
  const ends = [new EventEmitter(), new EventEmitter()] as const;
  const transport = (own: EventEmitter, other: EventEmitter): RpcTransport => ({
    send: (message) => {
      const text = JSON.stringify(message);
      return setImmediate(() => other.emit('message', JSON.parse(text))).hasRef();
    },
    onMessage: (listener) => void own.on('message', listener),
  });
  new RpcChannel('web', transport(ends[0], ends[1]), () => Promise.reject(error));
  return new RpcChannel<PrimaryCalls>('primary', transport(ends[1], ends[0]));
}

/** Returns the error that a web process gets if a call to the statistics process fails. */
async function failing(error: Error, isWorker: boolean): Promise<unknown> {
  const primary = isWorker ? overAChannel(error) : { call: () => Promise.reject(error) };
  const engine = new ProcessStatisticsEngine(primary as PrimaryClient, new LocalBus());
  return engine.count(QUESTION, 10).catch((thrown: unknown) => thrown);
}

const misconfigured = new StatisticsMisconfiguredError(new Error('clicks are elsewhere'));
const ended = (kind: 'failed' | 'gone' | 'timeout') =>
  new RpcError('statistics', 'count', kind, 'it says so');

describe.each([
  ['the primary itself', false],
  ['a worker', true],
])('A query of %s without a result from the statistics process', (_, isWorker) => {
  it.each<[string, Error, new (...args: never[]) => Error]>([
    ['takes too long', new StatisticsSlowError(), StatisticsSlowError],
    ['is one too many', new StatisticsBusyError(), StatisticsBusyError],
    ['is late', ended('timeout'), StatisticsBusyError],
    ['has no database', new DatabaseUnavailableError(), DatabaseUnavailableError],
    ['still reads clicks', new StatisticsLoadingError(70), StatisticsLoadingError],
    ['has the wrong settings', misconfigured, StatisticsMisconfiguredError],
    ['has lost the process', ended('gone'), StatisticsUnavailableError],
    ['has met a defect', ended('failed'), StatisticsFailedError],
  ])('which %s', async (_name, error, expected) => {
    const thrown = await failing(error, isWorker);
    expect((thrown as Error).constructor).toBe(expected);
  });

  it.each([
    ['ClickHouse is down', new ClickHouseError('unavailable', 'connect ECONNREFUSED'), true],
    ['it denies access', new ClickHouseError('denied', 'Wrong password'), false],
  ])('is logged with its cause: %s', async (_name, cause, passes) => {
    const thrown = await failing(toStatisticsError(cause) as Error, isWorker);
    const { message } = cause;
    expect(thrown).toMatchObject({ status: 503, logLevel: 'error', cause: { message } });
    expect((thrown as Error).message.includes('try again shortly')).toBe(passes);
  });

  it('says when to retry if the process is reading clicks', async () => {
    expect(await failing(new StatisticsLoadingError(70), isWorker)).toMatchObject({
      headers: { 'Retry-After': '70' },
      message: 'The statistics are being loaded; try again in 70 seconds',
    });
  });

  it('is logged only if the operator must act', async () => {
    expect(await failing(new StatisticsSlowError(), isWorker)).toMatchObject({
      status: 503,
      headers: { 'Retry-After': '10' },
      message: 'These statistics take too long to count; try again shortly',
      logLevel: 'warn',
    });
    expect(await failing(new StatisticsBusyError(), isWorker)).toMatchObject({
      status: 503,
      headers: { 'Retry-After': '10' },
      logLevel: 'info',
    });
  });
});

describe('A query to the statistics process', () => {
  it('is not logged after all its callers have disconnected', async () => {
    const primary = { call: () => new Promise(() => undefined) };
    const engine = new ProcessStatisticsEngine(primary as unknown as PrimaryClient, new LocalBus());
    const reader = new AbortController();
    const ask = () =>
      engine.count({ ...QUESTION, client: { key: 'ann', signal: reader.signal } }, 10);
    const asked = ask();
    reader.abort();
    const abandoned = {
      logLevel: 'debug',
      message: 'The client is no longer waiting for these statistics',
    };
    await expect(asked).rejects.toMatchObject(abandoned);
    await expect(ask()).rejects.toMatchObject(abandoned);
  });
});
