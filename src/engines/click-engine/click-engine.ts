import type { ChunkSource } from './query/chunk-source';
import type { LoadProgress } from './counting/load-progress';
import { QueryRunner } from './query-runner';
import { OpenResults } from './open-results';
import { ClickReader } from './reading/click-reader';
import { ResidentCache } from './resident/resident-cache';
import type { Shards } from './shards/statistics-shard';
import type {
  BreakdownPage,
  Cancellation,
  Dimension,
  OpenedResult,
  Source,
  StatisticsQuery,
  StatisticsResult,
} from './query/statistics-query';

/** Share of the memory limit for cached clicks; the rest is for data in transit and code. */
const HELD_SHARE = 0.85;
const STATES_SHARE = 1 / 16;
const RESULTS_SHARE = 0.25;

/** Runs one query at a time; reads and ranks on the calling thread, in short steps. */
export class ClickEngine {
  private readonly results: OpenResults;
  private readonly cache: ResidentCache;
  private readonly runner: QueryRunner;

  constructor(source: ChunkSource, shards: Shards, bytes: number) {
    this.results = OpenResults.ofBytes(bytes * RESULTS_SHARE);
    const reader = new ClickReader(source, bytes * STATES_SHARE);
    const others = (): number => this.results.bytes + reader.bytes;
    this.cache = new ResidentCache(shards, bytes * HELD_SHARE, others);
    this.runner = new QueryRunner(reader, shards, this.cache, HELD_SHARE);
  }

  get heldBytes(): number {
    return this.cache.bytes;
  }

  get loading(): LoadProgress | null {
    return this.runner.loading;
  }

  count(
    source: Source,
    query: StatisticsQuery,
    rows: number,
    cancellation: Cancellation,
  ): Promise<StatisticsResult> {
    return this.runner.run(source, query, rows, cancellation);
  }

  /** Runs a query without a row limit and keeps the result for `rows` until it is released. */
  async open(
    source: Source,
    query: StatisticsQuery,
    cancellation: Cancellation,
  ): Promise<OpenedResult> {
    return this.results.open(await this.runner.run(source, query, Infinity, cancellation));
  }

  rows(cursorId: number, dimension: Dimension, from: number, count: number): BreakdownPage {
    return this.results.rows(cursorId, dimension, from, count);
  }

  release(cursorId: number): void {
    this.results.release(cursorId);
  }

  close(): void {
    this.results.stop();
  }
}
