import { ClickEngine } from '../../click-engine/click-engine';
import { OpenResults } from '../../click-engine/open-results';
import { ClickHomeRepository } from '../../clicks/store/click-home.repository';
import { StoredClicksRepository } from '../../clicks/store/stored-clicks.repository';
import type { StatisticsSettings } from '../../config/environment.schema';
import type { ClickHouseOptions } from '../../config/options';
import { ShardPool } from './shard-pool';

const MEGABYTE = 1024 * 1024;
/** Share of the memory for results that files are read from. */
const RESULTS_SHARE = 0.5;

/** Counts clicks: ours, or ClickHouse. */
export type CountingEngine = Pick<ClickEngine, 'count' | 'open' | 'rows' | 'release' | 'heldBytes'>;

export interface StartedEngine {
  readonly engine: CountingEngine;
  /** Questions that are counted at one time. */
  readonly width: number;
  /** Ends at once. */
  stop(): Promise<void>;
}

/** The engine that these settings choose. */
export async function startEngine(settings: StatisticsSettings): Promise<StartedEngine> {
  const { mongoUri, clickHouse, memoryMb, threads } = settings;
  const stored = StoredClicksRepository.connect(mongoUri);
  if (clickHouse !== null) return clickHouseEngine(clickHouse, stored, memoryMb);
  const shards = new ShardPool(threads);
  const engine = new ClickEngine(stored, shards, memoryMb * MEGABYTE);
  const stop = async (): Promise<void> => {
    engine.close();
    await shards.stop();
  };
  return { engine, width: 1, stop };
}

/** Loaded here alone: without it nothing else needs the client. */
async function clickHouseEngine(
  options: ClickHouseOptions,
  stored: StoredClicksRepository,
  memoryMb: number,
): Promise<StartedEngine> {
  const [{ ClickHouse }, { ClickTable }, { ClickHouseEngine }] = await Promise.all([
    import('../../click-house/click-house.js'),
    import('../../click-house/click-table.js'),
    import('../../click-house/click-house.engine.js'),
  ]);
  const table = new ClickTable(new ClickHouse(options));
  const results = OpenResults.ofBytes(memoryMb * MEGABYTE * RESULTS_SHARE);
  const home = new ClickHomeRepository(stored);
  const ready = async (): Promise<void> => {
    await home.claim('clickhouse');
    await table.ensure();
  };
  const engine = new ClickHouseEngine(table, stored, results, ready);
  return { engine, width: 2, stop: () => engine.close() };
}
