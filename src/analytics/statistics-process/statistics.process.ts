import { isDatabaseUnreachable } from '../../common/database-fault';
import { DatabaseUnavailableError } from '../../common/errors';
import { readStatisticsSettings } from '../../config/environment';
import { reasonOf } from '../../processes/child-process/child-messages';
import { serveParent } from '../../processes/child-process/parent-channel';
import type { StatisticsCalls } from '../statistics.calls';
import { RpcFailure, RpcHandlers } from '../../processes/rpc/rpc';
import { StatisticsEngine } from './statistics-engine';
import type {
  Breakdown,
  BreakdownPage,
  StatisticsResult,
  WithRange,
} from '../../click-engine/statistics-result';
import { StatisticsThread } from './statistics-thread';
import { StatisticsBusyError, StatisticsSlowError } from './statistics.errors';

/**
 * Entry of the statistics process: started by the primary with the first question, one for each
 * machine. This thread takes the calls and keeps the queue; the counting has threads of its own, so
 * that a call can be cancelled at any time.
 */
async function main(): Promise<void> {
  const thread = new StatisticsThread(readStatisticsSettings());
  const engine = new StatisticsEngine(thread);
  const asked = new Map<string, AbortController>();

  const cancellable = async <T>(
    call: string,
    run: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> => {
    const controller = new AbortController();
    asked.set(call, controller);
    try {
      return await run(controller.signal);
    } catch (error) {
      throw failureOf(error);
    } finally {
      asked.delete(call);
    }
  };

  const parent = serveParent({
    onStop: () => {
      // Nobody waits for an answer any more.
      for (const controller of asked.values()) controller.abort();
      return thread.close();
    },
    // The next process may be there already.
    onOrphaned: () => thread.stop(),
    handlers: new RpcHandlers<StatisticsCalls>()
      .handle('count', ({ call, source, query, rows, asking }) =>
        cancellable(call, async (signal) =>
          transmissible(await engine.count(source, query, rows ?? Infinity, asking, signal)),
        ),
      )
      .handle('report', ({ call, source, query, rows, metrics, asking }) =>
        cancellable(call, (signal) =>
          engine.report(source, query, { rows, metrics }, asking, signal),
        ),
      )
      .handle('open', ({ call, source, query, asking }) =>
        cancellable(call, (signal) => engine.open(source, query, asking, signal)),
      )
      .handle('rows', async ({ cursorId, dimension, from, count }) =>
        plain(await engine.rows(cursorId, dimension, from, count)),
      )
      .handle('release', async ({ cursorId }) => {
        await engine.release(cursorId);
        return undefined;
      })
      .handle('cancel', ({ call }) => {
        asked.get(call)?.abort();
        return undefined;
      })
      .handle('status', () => engine.status()),
  });
  try {
    // With all its threads: who has asked first waits for them at full weight.
    await thread.start();
    parent.ready();
  } catch (error) {
    parent.failed(reasonOf(error), { permanent: false });
  }
}

/** Rows may go on to a web process as JSON, where typed arrays are no arrays. */
function transmissible(result: WithRange<StatisticsResult>): WithRange<StatisticsResult> {
  const breakdowns = Object.entries(result.breakdowns).map(([name, breakdown]) => [
    name,
    plain(breakdown),
  ]);
  return {
    ...result,
    breakdowns: Object.fromEntries(breakdowns) as StatisticsResult['breakdowns'],
  };
}

function plain<T extends Breakdown | BreakdownPage>(rows: T): T {
  return { ...rows, clicks: Array.from(rows.clicks), visitors: Array.from(rows.visitors) };
}

/** What of an error the web process has to tell apart. */
function failureOf(error: unknown): unknown {
  const reason = error instanceof Error ? error.message : String(error);
  if (error instanceof StatisticsSlowError) return new RpcFailure('slow', reason);
  if (error instanceof StatisticsBusyError) return new RpcFailure('busy', reason);
  const isAway = error instanceof DatabaseUnavailableError || isDatabaseUnreachable(error);
  return isAway ? new RpcFailure('database', reason) : error;
}

void main();
