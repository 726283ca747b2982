import type { Dimension } from '../engines/click-engine/dimensions';
import type { BreakdownPage, OpenedResult } from '../engines/click-engine/statistics-result';
import type { StatisticsEngine, StatisticsQuestion } from './statistics-engine';

/** One row of a breakdown. */
export interface ResultRow {
  label: string;
  clicks: number;
  visitors: number;
}

/** Uncut results; `close` must be called when they are no longer read. */
export interface OpenResult extends Pick<OpenedResult, 'summary' | 'heads'> {
  rows(dimension: Dimension): AsyncGenerator<ResultRow[]>;
  close(): Promise<void>;
}

/** Small enough that writing a page of any format holds the web thread for a few milliseconds. */
const PAGE_ROWS = 500;
/** Rows that are fetched at a time: some 200 KB, which hold the web thread for a millisecond. */
const FETCHED_ROWS = 4000;

/** Opens a result of any size, for files. */
export async function openResult(
  engine: StatisticsEngine,
  question: StatisticsQuestion,
): Promise<OpenResult> {
  const { cursorId, summary, heads } = await engine.open(question);
  return {
    summary,
    heads,
    rows: (dimension) => readPages(engine, cursorId, dimension),
    close: () => engine.release(cursorId),
  };
}

async function* readPages(
  engine: StatisticsEngine,
  cursorId: number,
  dimension: Dimension,
): AsyncGenerator<ResultRow[]> {
  const fetch = (from: number): Promise<BreakdownPage> => {
    const fetched = engine.rows(cursorId, dimension, from, FETCHED_ROWS);
    // A reader that reads on hears of it; one that has stopped does not.
    fetched.catch(() => undefined);
    return fetched;
  };
  let next = fetch(0);
  for (let from = 0; ;) {
    const { labels, clicks, visitors } = await next;
    if (labels.length === 0) return;
    from += labels.length;
    // Fetched while these are written.
    next = fetch(from);
    for (let first = 0; first < labels.length; first += PAGE_ROWS) {
      yield labels.slice(first, first + PAGE_ROWS).map((label, i) => ({
        label,
        clicks: clicks[first + i] ?? 0,
        visitors: visitors[first + i] ?? 0,
      }));
    }
  }
}
