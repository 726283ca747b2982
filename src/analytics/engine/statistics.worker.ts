import { mongo } from 'mongoose';
import { constants, setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import { isDatabaseUnreachable } from '../../common/database-fault';
import { Cancellation, CancelledError } from './cancellation';
import { StatisticsBusyError } from './statistics-thread';
import type {
  BreakdownHead,
  EngineAnswers,
  EngineCall,
  EngineReply,
  FailureKind,
  WorkerData,
} from './engine-messages';
import type { StatisticsResult } from './statistics-result';
import { OpenResults } from './open-results';
import { SegmentLoader } from './segment-loader';
import { StoredClicksRepository } from './segment-loader.repository';
import { SegmentPlanner } from './segment-planner';
import { QueryRunner } from './query-runner';
import { SegmentCache } from './segment-cache';
import { MergedSegmentCache } from './merged-segment';

// Entry of the statistics thread: it reads the database and counts, so that the thread that
// answers redirects does neither.
if (process.platform === 'linux') {
  // There it holds for this thread alone: redirects come first where processors are few.
  setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
}
const IDLE_CHECK_MS = 10_000;
const { mongoUri } = workerData as WorkerData;
const client = new mongo.MongoClient(mongoUri, {
  serverSelectionTimeoutMS: 3000,
  connectTimeoutMS: 3000,
  maxPoolSize: 4,
  promoteBuffers: true,
});
const repository = new StoredClicksRepository(client.db());
const cache = new SegmentCache();
const loader = new SegmentLoader(repository, cache);
const planner = new SegmentPlanner(loader, new MergedSegmentCache());
const runner = new QueryRunner(repository, loader, cache, planner);
const held = new OpenResults();
setInterval(() => held.dropIdle(), IDLE_CHECK_MS);

async function answer({
  request,
  cancelled,
}: EngineCall): Promise<EngineAnswers[keyof EngineAnswers]> {
  const cancellation = new Cancellation(cancelled);
  switch (request.kind) {
    case 'count':
      return runner.run(request.source, request.question, request.rows, cancellation);
    case 'open': {
      const figures = await runner.run(request.source, request.question, Infinity, cancellation);
      return { cursorId: held.hold(figures), summary: figures.summary, heads: headsOf(figures) };
    }
    case 'rows':
      return held.rows(request.cursorId, request.dimension, request.from, request.count);
    case 'release':
      held.release(request.cursorId);
      return null;
  }
}

function headsOf({ breakdowns }: StatisticsResult): EngineAnswers['open']['heads'] {
  return Object.fromEntries(
    Object.entries(breakdowns).map(([dimension, { size, clicksSum, visitorsSum }]) => [
      dimension,
      { size, clicksSum, visitorsSum } satisfies BreakdownHead,
    ]),
  );
}

parentPort?.on('message', (call: EngineCall) => {
  answer(call).then(
    (result) => reply({ id: call.id, answer: result }),
    (error: unknown) =>
      reply({
        id: call.id,
        failure: {
          kind: kindOf(error),
          message: error instanceof Error ? error.message : String(error),
        },
      }),
  );
});

function kindOf(error: unknown): FailureKind {
  if (error instanceof CancelledError || error instanceof StatisticsBusyError) return 'busy';
  return isDatabaseUnreachable(error) ? 'database' : 'other';
}

function reply(message: EngineReply): void {
  parentPort?.postMessage(message);
}
