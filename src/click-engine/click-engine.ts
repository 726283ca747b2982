import type { Cancellation } from './cancellation';
import type { ChunkSource } from './chunk-source';
import { QueryRunner } from './counting/query-runner';
import type { Dimension } from './dimensions';
import { OpenResults } from './open-results';
import { ClickReader } from './reading/click-reader';
import { ResidentCache } from './resident/resident-cache';
import {
  type SnapshotLog,
  type SnapshotSettings,
  StatisticsSnapshot,
} from './resident/statistics-snapshot';
import type { Shards } from './shards/shards';
import type { Source, StatisticsQuery } from './statistics-query';
import type { BreakdownPage, OpenedResult, StatisticsResult } from './statistics-result';

/** Share of the memory for clicks; the rest is what is on its way, and what the program itself takes. */
const HELD_SHARE = 0.85;
/** In that, states of click stores without their clicks, and results for files; one may take more. */
const STATES_SHARE = 1 / 16;
const RESULTS_SHARE = 0.25;
/** Share for the memory of a scan, beside which nothing else is needed but what is held already. */
const SCAN_SHARE = 0.7;

export interface ClickEngineOptions {
  /** Bytes for all that it holds and remembers. */
  readonly memoryBytes: number;
  readonly snapshot: Omit<SnapshotSettings, 'memoryBytes'> & {
    /** How often it is looked whether there are clicks to be saved. */
    readonly everyMs: number;
  };
  readonly log: SnapshotLog;
}

/**
 * Counts stored clicks, one question after the other. It reads and ranks in the thread that asks, in
 * steps of a fraction of a second, and has the shards do the rest.
 */
export class ClickEngine {
  private readonly results: OpenResults;
  private readonly cache: ResidentCache;
  private readonly runner: QueryRunner;
  private readonly snapshot: StatisticsSnapshot;
  private readonly timer: NodeJS.Timeout;

  constructor(source: ChunkSource, shards: Shards, options: ClickEngineOptions) {
    const { memoryBytes: bytes, snapshot, log } = options;
    this.results = OpenResults.ofBytes(bytes * RESULTS_SHARE);
    const reader = new ClickReader(source, bytes * STATES_SHARE);
    const heldBytes = bytes * HELD_SHARE;
    this.cache = new ResidentCache(shards, heldBytes, () => this.results.bytes + reader.bytes);
    this.runner = new QueryRunner(reader, shards, this.cache, bytes * SCAN_SHARE);
    const saved = { ...snapshot, memoryBytes: heldBytes };
    this.snapshot = new StatisticsSnapshot(saved, shards, this.cache, log);
    void this.runner.next(() => this.snapshot.restore());
    this.timer = setInterval(
      () => void this.runner.next(() => this.snapshot.keep()),
      snapshot.everyMs,
    );
  }

  /** Memory of the clicks that are held for further questions. */
  get heldBytes(): number {
    return this.cache.bytes;
  }

  /** Returns a result with at most `rows` rows a breakdown. */
  count(
    source: Source,
    query: StatisticsQuery,
    rows: number,
    cancellation: Cancellation,
  ): Promise<StatisticsResult> {
    return this.runner.run(source, query, rows, cancellation);
  }

  /** Opens an uncut result, held for `rows` until it is released. */
  async open(
    source: Source,
    query: StatisticsQuery,
    cancellation: Cancellation,
  ): Promise<OpenedResult> {
    return this.results.open(await this.runner.run(source, query, Infinity, cancellation));
  }

  /** Returns a page of an opened result; none at its end. */
  rows(cursorId: number, dimension: Dimension, from: number, count: number): BreakdownPage {
    return this.results.rows(cursorId, dimension, from, count);
  }

  release(cursorId: number): void {
    this.results.release(cursorId);
  }

  /** Saves the clicks that are held, for the engine of the next process, and ends. */
  async close(): Promise<void> {
    clearInterval(this.timer);
    this.results.stop();
    await this.runner.next(() => this.snapshot.save());
  }
}
