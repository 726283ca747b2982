import type { Dimension } from './dimension';
import type { Breakdown, Figures, Question } from './figures';
import type { Source } from './query-runner';

/** What a worker is started with. */
export interface WorkerData {
  mongoUri: string;
}

/** What the web process asks of the worker. */
export type EngineRequest =
  /** Figures with at most `rows` rows a breakdown. `keep` holds all rows for `rows` requests. */
  | { kind: 'count'; source: Source; question: Question; rows: number; keep: boolean }
  | { kind: 'rows'; ticket: number; dimension: Dimension; from: number; count: number }
  | { kind: 'release'; ticket: number };

/** Figures as they cross the thread border. */
export interface CutFigures extends Figures {
  /** Under which the uncut figures are held; null unless that was asked for. */
  ticket: number | null;
}

export interface EngineAnswers {
  count: CutFigures;
  rows: Pick<Breakdown, 'labels' | 'clicks' | 'visitors'>;
  release: null;
}

export interface EngineCall {
  id: number;
  request: EngineRequest;
}

export type EngineReply =
  | { id: number; answer: EngineAnswers[keyof EngineAnswers] }
  | { id: number; failure: { unreachable: boolean; message: string } };
