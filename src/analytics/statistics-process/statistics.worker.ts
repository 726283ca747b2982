import { workerData } from 'node:worker_threads';
import { isDatabaseUnreachable } from '../../common/database-fault';
import type { StatisticsSettings } from '../../config/environment.schema';
import type { CountingCalls } from '../statistics.calls';
import { version } from '../../common/package-info';
import { PlainLog } from '../../infrastructure/logging/plain-log';
import { RpcFailure, RpcHandlers } from '../../processes/rpc/rpc';
import { lowerThreadPriority, serveThread } from '../../processes/worker-thread';
import { CancelledError, EngineBusyError } from '../../click-engine/engine.errors';
import { Cancellation } from '../../click-engine/cancellation';
import { ClickReader } from '../../click-engine/reading/click-reader';
import { OpenResults } from '../../click-engine/open-results';
import { QueryRunner } from '../../click-engine/counting/query-runner';
import { ResidentCache } from '../../click-engine/resident/resident-cache';
import { reportLists } from '../report/report-lists';
import { StoredClicksRepository } from '../../clicks/store/stored-clicks.repository';
import { ShardPool } from './shard-pool';
import type {
  BreakdownHead,
  OpenedResult,
  StatisticsResult,
} from '../../click-engine/statistics-result';
import { StatisticsSnapshot } from '../../click-engine/resident/statistics-snapshot';

// Entry of the thread that reads the database, has clicks counted by the shards and ranks what they
// found, so that the main thread of the process can always be told to cancel.
lowerThreadPriority();
const IDLE_CHECK_MS = 10_000;
/** Files under way at one time, and how long nobody may read one. */
const MOST_RESULTS = 32;
const RESULT_IDLE_MS = 60_000;
const MEGABYTE = 1024 * 1024;
/** Of the memory what is held; the rest is what is on its way, and what the program itself takes. */
const HELD_SHARE = 0.85;
/** In that, states of click stores without their clicks, and results for files; one may take more. */
const STATES_SHARE = 1 / 16;
const RESULTS_SHARE = 0.25;
/** What a scan has to remember; meanwhile nothing else is needed but what is held already. */
const SCAN_SHARE = 0.7;
const { mongoUri, memoryMb, threads, snapshot: saving } = workerData as StatisticsSettings;
const shards = new ShardPool(threads);
const bytes = memoryMb * MEGABYTE;
const heldBytes = bytes * HELD_SHARE;
const held = new OpenResults({
  most: MOST_RESULTS,
  bytes: bytes * RESULTS_SHARE,
  idleMs: RESULT_IDLE_MS,
});
const reader = new ClickReader(StoredClicksRepository.connect(mongoUri), bytes * STATES_SHARE);
const cache = new ResidentCache(shards, heldBytes, () => held.bytes + reader.bytes);
const runner = new QueryRunner(reader, shards, cache, bytes * SCAN_SHARE);
const saved = { ...saving, memoryBytes: heldBytes, release: version() };
const snapshot = new StatisticsSnapshot(saved, shards, cache, new PlainLog());
void runner.next(() => snapshot.restore());
setInterval(() => void runner.next(() => snapshot.keep()), saving.everyMs);
setInterval(() => held.dropIdle(), IDLE_CHECK_MS);

const handlers = new RpcHandlers<CountingCalls>()
  .handle('count', ({ source, query, rows, cancelled }) =>
    runner.run(source, query, rows, new Cancellation(cancelled)),
  )
  .handle('report', async ({ source, query, rows, metrics, cancelled }) => {
    const result = await runner.run(source, query, rows, new Cancellation(cancelled));
    const lists = reportLists(result, query.dimensions, metrics);
    return { summary: result.summary, lists };
  })
  .handle('open', async ({ source, query, cancelled }) => {
    const result = await runner.run(source, query, Infinity, new Cancellation(cancelled));
    return { cursorId: held.hold(result), summary: result.summary, heads: headsOf(result) };
  })
  .handle('rows', ({ cursorId, dimension, from, count }) =>
    held.rows(cursorId, dimension, from, count),
  )
  .handle('release', ({ cursorId }) => {
    held.release(cursorId);
    return undefined;
  })
  .handle('heldBytes', () => cache.bytes)
  .handle('save', async () => {
    await runner.next(() => snapshot.save());
    return undefined;
  });

function headsOf({ breakdowns }: StatisticsResult): OpenedResult['heads'] {
  return Object.fromEntries(
    Object.entries(breakdowns).map(([dimension, { size, clicksSum, visitorsSum }]) => [
      dimension,
      { size, clicksSum, visitorsSum } satisfies BreakdownHead,
    ]),
  );
}

/** What of an error the web thread has to tell apart. */
function failureOf(error: unknown): unknown {
  const reason = error instanceof Error ? error.message : String(error);
  if (error instanceof CancelledError || error instanceof EngineBusyError) {
    return new RpcFailure('busy', reason);
  }
  return isDatabaseUnreachable(error) ? new RpcFailure('database', reason) : error;
}

serveThread(async (topic, request) => {
  try {
    return await handlers.dispatch(topic, request);
  } catch (error) {
    throw failureOf(error);
  }
});
