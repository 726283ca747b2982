import { ClickEngine } from '../../engines/click-engine/click-engine';
import type { LoadProgress } from '../../engines/click-engine/counting/load-progress';
import { CorruptChunkError } from '../../engines/click-engine/chunk/engine.errors';
import { OpenResults } from '../../engines/click-engine/open-results';
import { ClickHomeRepository } from '../../clicks/store/click-home.repository';
import { StoredClicksRepository } from '../../clicks/store/stored-clicks.repository';
import type { StatisticsSettings } from '../../config/options';
import type { ClickHouseOptions } from '../../engines/click-house/click-house';
import { join } from 'node:path';
import type {
  ShardCalls,
  ShardRequest,
  ShardResponse,
  Shards,
} from '../../engines/click-engine/shards/statistics-shard';
import { type RpcRequest, Transferred } from '../../processes/rpc/rpc';
import { WorkerThread } from '../../processes/worker-thread';

const MEGABYTE = 1024 * 1024;
/** Share of the memory limit that open export results may use. */
const OPEN_RESULTS_SHARE = 0.5;

export type CountingEngine = Pick<ClickEngine, 'count' | 'open' | 'rows' | 'release' | 'heldBytes'>;

export interface StartedEngine {
  readonly engine: CountingEngine;
  readonly width: number;
  /** Called before each query. */
  connect(): Promise<void>;
  /** Replaces an engine error with its cause, if known. */
  causeOf(error: unknown): Promise<unknown>;
  /** Null unless clicks are being read. */
  loading(): LoadProgress | null;
  stop(): Promise<void>;
}

/** The heap is small, because clicks are stored outside it. */
const HEAP = { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 16 };
/** Time limit for a call. It is longer than any query, so only a process that hangs exceeds it. */
const SHARD_CALL_MS = 120_000;

class ShardPool implements Shards {
  private readonly threads: WorkerThread<ShardCalls>[];
  private stopped = false;

  constructor(readonly count: number) {
    this.threads = Array.from({ length: count }, () => {
      const thread = new WorkerThread<ShardCalls>({
        name: 'statistics shard',
        script: join(__dirname, 'statistics-shard.worker.js'),
        resourceLimits: HEAP,
        // This shard's clicks are no longer in memory. The error makes the primary restart the
        // process.
        onEnd: (reason) => {
          if (!this.stopped) throw new Error(`A statistics shard ended: ${reason}`);
        },
      });
      thread.start();
      return thread;
    });
  }

  async call<T extends keyof ShardCalls>(
    shard: number,
    topic: T,
    request: ShardRequest<T>,
    handedOver: readonly ArrayBuffer[] = [],
  ): Promise<ShardResponse<T>> {
    const thread = this.threads[shard];
    if (thread === undefined) throw new RangeError(`There is no shard ${shard}`);
    const sent = new Transferred(request as RpcRequest<ShardCalls, T>, handedOver);
    return (await thread.call(topic, sent, SHARD_CALL_MS)) as ShardResponse<T>;
  }

  async stop(): Promise<void> {
    this.stopped = true;
    await Promise.all(this.threads.map((thread) => thread.stop()));
  }
}

export async function startCountingEngine(settings: StatisticsSettings): Promise<StartedEngine> {
  const { mongoUri, clickHouse, memoryMb, threads } = settings;
  const stored = StoredClicksRepository.connect(mongoUri);
  if (clickHouse !== null) return clickHouseEngine(clickHouse, stored, memoryMb);
  const shards = new ShardPool(threads);
  const engine = new ClickEngine(stored, shards, memoryMb * MEGABYTE);
  const stop = async (): Promise<void> => {
    engine.close();
    await shards.stop();
    await stored.close();
  };
  const home = new ClickHomeRepository(stored);
  const findCause = async (error: unknown): Promise<unknown> => {
    if (!(error instanceof CorruptChunkError)) return error;
    // Clicks that were moved to another database cause this error, too.
    return home.check(null).then(
      () => error,
      (elsewhere: unknown) => elsewhere,
    );
  };
  const loading = () => engine.loading;
  return { engine, width: 1, connect: () => stored.open(), causeOf: findCause, loading, stop };
}

/** Imports the client lazily, because only ClickHouse needs it. */
async function clickHouseEngine(
  options: ClickHouseOptions,
  stored: StoredClicksRepository,
  memoryMb: number,
): Promise<StartedEngine> {
  const [{ ClickHouse }, { ClickTable }, { ClickHouseEngine }] = await Promise.all([
    import('../../engines/click-house/click-house.js'),
    import('../../engines/click-house/click-table.js'),
    import('../../engines/click-house/click-house.engine.js'),
  ]);
  const table = new ClickTable(new ClickHouse(options));
  const results = OpenResults.ofBytes(memoryMb * MEGABYTE * OPEN_RESULTS_SHARE);
  const home = new ClickHomeRepository(stored);
  const ready = async (): Promise<void> => {
    await home.claim('clickhouse');
    await table.ensure();
  };
  const engine = new ClickHouseEngine(table, stored, results, ready);
  const findCause = (error: unknown) => Promise.resolve(error);
  const stop = async (): Promise<void> => {
    await engine.close();
    await stored.close();
  };
  const loading = () => null;
  return { engine, width: 2, connect: () => stored.open(), causeOf: findCause, loading, stop };
}
