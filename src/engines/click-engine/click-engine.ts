import type { Cancellation } from './cancellation';
import type { ChunkSource } from './chunk-source';
import { QueryRunner } from './counting/query-runner';
import type { Dimension } from './dimensions';
import { OpenResults } from './open-results';
import { ClickReader } from './reading/click-reader';
import { ResidentCache } from './resident/resident-cache';
import type { Shards } from './shards/shards';
import type { Source, StatisticsQuery } from './statistics-query';
import type { BreakdownPage, OpenedResult, StatisticsResult } from './statistics-result';

/** Share of the memory for clicks; the rest is what is on its way, and what the program itself takes. */
const HELD_SHARE = 0.85;
/** In that, states of click stores without their clicks, and results for files; one may take more. */
const STATES_SHARE = 1 / 16;
const RESULTS_SHARE = 0.25;

/**
 * Counts stored clicks, one question after the other. It reads and ranks in the thread that asks, in
 * steps of a fraction of a second, and has the shards do the rest.
 */
export class ClickEngine {
  private readonly results: OpenResults;
  private readonly cache: ResidentCache;
  private readonly runner: QueryRunner;

  /** @param bytes memory for all that it holds and remembers */
  constructor(source: ChunkSource, shards: Shards, bytes: number) {
    this.results = OpenResults.ofBytes(bytes * RESULTS_SHARE);
    const reader = new ClickReader(source, bytes * STATES_SHARE);
    const others = (): number => this.results.bytes + reader.bytes;
    this.cache = new ResidentCache(shards, bytes * HELD_SHARE, others);
    this.runner = new QueryRunner(reader, shards, this.cache, HELD_SHARE);
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

  close(): void {
    this.results.stop();
  }
}
