import type { Dimension } from '../../engines/click-engine/query/dimensions';
import type {
  BreakdownPage,
  OpenedResult,
} from '../../engines/click-engine/query/statistics-result';
import type { StatisticsEngine, StatisticsQuestion } from './statistics-engine';

export interface ResultRow {
  label: string;
  clicks: number;
  visitors: number;
}

/** Uncut results; the caller must call `close`. */
export interface OpenResult extends Pick<OpenedResult, 'summary' | 'heads'> {
  rows(dimension: Dimension): AsyncGenerator<ResultRow[]>;
  close(): Promise<void>;
}

/** Writing one page in any format blocks the event loop for a few milliseconds at most. */
const PAGE_ROWS = 500;
/** Rows per fetch: about 200 KB, which blocks the event loop for a millisecond. */
const FETCHED_ROWS = 4000;

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
    // The next read reports the error; if there is none, this avoids an unhandled rejection.
    fetched.catch(() => undefined);
    return fetched;
  };
  let next = fetch(0);
  for (let from = 0; ;) {
    const { labels, clicks, visitors } = await next;
    if (labels.length === 0) return;
    from += labels.length;
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
