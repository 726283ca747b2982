import '../../processes/bundle';
import { readStatisticsSettings } from '../../config/environment';
import { failureReason, serveParent } from '../../processes/child-process/parent-channel';
import { RpcHandlers } from '../../processes/rpc/rpc';
import type { StatisticsCalls } from '../engine/statistics-engine';
import { startCountingEngine } from './counting-engine';
import { StatisticsServer } from './statistics-server';

/**
 * This thread handles calls and sorts rows in steps that can be cancelled. Worker threads count
 * clicks.
 */
async function main(): Promise<void> {
  const server = new StatisticsServer(await startCountingEngine(readStatisticsSettings()), () => {
    parent.failed('A cancelled query does not end', { permanent: false });
  });
  const controllers = new Map<string, AbortController>();

  const cancellable = async <T>(
    call: string,
    run: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> => {
    const controller = new AbortController();
    controllers.set(call, controller);
    try {
      return await run(controller.signal);
    } finally {
      controllers.delete(call);
    }
  };

  const parent = serveParent({
    onStop: () => {
      for (const controller of controllers.values()) controller.abort();
      return server.stop();
    },
    onOrphaned: () => server.stop(),
    handlers: new RpcHandlers<StatisticsCalls>()
      .handle('count', ({ call, rows, ...question }) =>
        cancellable(call, (signal) => server.count(question, rows ?? Infinity, signal)),
      )
      .handle('report', ({ call, rows, metrics, ...question }) =>
        cancellable(call, (signal) => server.report(question, { rows, metrics }, signal)),
      )
      .handle('open', ({ call, ...question }) =>
        cancellable(call, (signal) => server.open(question, signal)),
      )
      .handle('rows', ({ cursorId, dimension, from, count }) =>
        server.rows(cursorId, dimension, from, count),
      )
      .handle('release', ({ cursorId }) => {
        server.release(cursorId);
        return undefined;
      })
      .handle('cancel', ({ call }) => {
        controllers.get(call)?.abort();
        return undefined;
      })
      .handle('status', () => server.status()),
  });
  parent.ready();
}

main().catch((error: unknown) => {
  console.error(failureReason(error));
  process.exit(1);
});
