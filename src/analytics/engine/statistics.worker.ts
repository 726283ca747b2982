import { mongo } from 'mongoose';
import { constants, setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import { isDatabaseUnreachable } from '../../core/database-fault';
import type { EngineAnswers, EngineCall, EngineReply, WorkerData } from './engine-messages';
import { HeldFigures } from './held-figures';
import { History } from './history';
import { HistoryRepository } from './history.repository';
import { Overview } from './overview';
import { QueryRunner } from './query-runner';
import { SegmentCache } from './segment-cache';
import { ViewCache } from './view-cache';

// Entry of the statistics thread: it reads the database and counts, so that the thread that
// answers redirects does neither.
if (process.platform === 'linux') {
  // There it holds for this thread alone: redirects come first where processors are few.
  setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
}
const { mongoUri } = workerData as WorkerData;
const client = new mongo.MongoClient(mongoUri, {
  serverSelectionTimeoutMS: 3000,
  connectTimeoutMS: 3000,
  maxPoolSize: 4,
  promoteBuffers: true,
});
const repository = new HistoryRepository(client.db());
const cache = new SegmentCache();
const history = new History(repository, cache);
const overview = new Overview(history, new ViewCache());
const runner = new QueryRunner(repository, history, cache, overview);
const held = new HeldFigures();

async function answer({ request }: EngineCall): Promise<EngineAnswers[keyof EngineAnswers]> {
  switch (request.kind) {
    case 'count': {
      const figures = await runner.run(request.source, request.question);
      return held.cut(figures, request.rows, request.keep);
    }
    case 'rows':
      return held.rows(request.ticket, request.dimension, request.from, request.count);
    case 'release':
      held.release(request.ticket);
      return null;
  }
}

parentPort?.on('message', (call: EngineCall) => {
  answer(call).then(
    (result) => reply({ id: call.id, answer: result }),
    (error: unknown) =>
      reply({
        id: call.id,
        failure: {
          unreachable: isDatabaseUnreachable(error),
          message: error instanceof Error ? error.message : String(error),
        },
      }),
  );
});

function reply(message: EngineReply): void {
  parentPort?.postMessage(message);
}
