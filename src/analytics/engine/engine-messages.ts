import type { Dimension } from '../dimensions';
import type { Breakdown, StatisticsResult, StatisticsQuestion, Summary } from './statistics-result';
import type { Source } from './query-runner';

/** What a worker is started with. */
export interface WorkerData {
  mongoUri: string;
}

/** What the web process asks of the worker. */
export type EngineRequest =
  /** Figures with at most `rows` rows a breakdown. */
  | { kind: 'count'; source: Source; question: StatisticsQuestion; rows: number }
  /** Uncut figures, held for `rows` requests until they are released. */
  | { kind: 'open'; source: Source; question: StatisticsQuestion }
  | { kind: 'rows'; cursorId: number; dimension: Dimension; from: number; count: number }
  | { kind: 'release'; cursorId: number };

/** Sums of a breakdown whose rows are read page by page. */
export type BreakdownHead = Pick<Breakdown, 'size' | 'clicksSum' | 'visitorsSum'>;

export type RowsAnswer = Pick<Breakdown, 'labels' | 'clicks' | 'visitors'>;

/** What crosses the thread border: never more than the cut rows or one page of them. */
export interface EngineAnswers {
  count: StatisticsResult;
  open: {
    cursorId: number;
    summary: Summary;
    heads: Partial<Record<Dimension, BreakdownHead>>;
  };
  rows: RowsAnswer;
  release: null;
}

export interface EngineCall {
  id: number;
  request: EngineRequest;
  /** Set by the web process when nobody waits any more. */
  cancelled: Int32Array;
}

export type FailureKind = 'database' | 'busy' | 'other';

export type EngineReply =
  | { id: number; answer: EngineAnswers[keyof EngineAnswers] }
  | { id: number; failure: { kind: FailureKind; message: string } };
