import type { Dimension } from '../../engines/click-engine/query/dimensions';
import type {
  Breakdown,
  BreakdownPage,
  OpenedResult,
} from '../../engines/click-engine/query/statistics-result';
import type { StatisticsEngine, StatisticsQuestion } from './statistics-engine';

export interface ResultRow {
  label: string;
  clicks: number;
  visitors: number;
}

/** The largest rows, and the sums of all other rows. */
export interface ResultList {
  readonly rows: readonly ResultRow[];
  readonly cut: { readonly values: number; readonly clicks: number; readonly visitors: number };
}

export function toList(breakdown: Breakdown | undefined): ResultList {
  if (breakdown === undefined) throw new RangeError('A breakdown is missing');
  const rows = toRows(breakdown);
  const { size, clicksSum, visitorsSum } = breakdown;
  const cut = { values: size - rows.length, clicks: clicksSum, visitors: visitorsSum };
  for (const { clicks, visitors } of rows) {
    cut.clicks -= clicks;
    cut.visitors -= visitors;
  }
  return { rows, cut };
}

function toRows({ labels, clicks, visitors }: BreakdownPage): ResultRow[] {
  return labels.map((label, at) => ({
    label,
    clicks: clicks[at] ?? 0,
    visitors: visitors[at] ?? 0,
  }));
}

/** Complete results. The caller must call `close`. */
export interface OpenResult extends Pick<OpenedResult, 'summary' | 'heads'> {
  rows(dimension: Dimension): AsyncGenerator<ResultRow[]>;
  close(): Promise<void>;
}

/** Writing a page of this size blocks the event loop for a few milliseconds at most. */
const PAGE_ROWS = 500;
/** Rows per fetch, about 200 KB, which block the event loop for a millisecond. */
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
    // The next read throws the error. Without a next read, this avoids an unhandled rejection.
    fetched.catch(() => undefined);
    return fetched;
  };
  let next = fetch(0);
  for (let from = 0; ;) {
    const rows = toRows(await next);
    if (rows.length === 0) return;
    from += rows.length;
    next = fetch(from);
    for (let first = 0; first < rows.length; first += PAGE_ROWS) {
      yield rows.slice(first, first + PAGE_ROWS);
    }
  }
}
