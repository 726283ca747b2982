import type { JobStep, RunningJob } from '../../infrastructure/jobs/job-kind';
import type { ForgottenRows } from '../history/visit-recorder';
import type { LinkVisitProgress } from '../history/link-visit-import';
import type { SettledRows, VisitProgress } from '../history/visit-import';
import type { ImportReader } from '../reading/import-reader';
import { type Import, type ImportHistory, NO_HISTORY } from '../store/import';

export interface ImportInput {
  /** True if the source was already checked, so that the job starts with the import. */
  readonly run: boolean;
  readonly sync?: boolean;
  /** Where an interrupted run continues; absent if the run starts from the beginning. */
  readonly from?: ImportCursor;
}

export type VerdictCounts = Readonly<Partial<Record<string, number>>>;

/** Results from the current pass over the source. */
export interface PassProgress {
  /** `look` searches all rows for a conflict; a conflict ends the run before any write. */
  readonly pass: 'check' | 'look' | 'write';
  readonly counts: VerdictCounts;
  readonly notes: VerdictCounts;
  readonly history: ImportHistory;
}

/** Deletes the previous pass's verdicts. */
export interface ClearCursor extends PassProgress {
  readonly stage: 'clear';
}

export interface RowsCursor extends PassProgress {
  readonly stage: 'rows';
  /** Position in the source; null at the start. */
  readonly position: object | null;
  /** First unread row number. */
  readonly row: number;
}

export interface VisitsCursor extends PassProgress {
  readonly stage: 'visits';
  readonly visits: VisitProgress;
}

/** Imports visits from services that list visits per link. */
export interface LinkVisitsCursor extends PassProgress {
  readonly stage: 'linkVisits';
  readonly linkVisits: LinkVisitProgress;
}

/** Adds up each link's visits. */
export interface HistoryCursor extends PassProgress {
  readonly stage: 'history';
  readonly settled: SettledRows;
}

/** Compares stored data with expected data. */
export interface ProofCursor extends PassProgress {
  readonly stage: 'proof';
  /** Expected number of links that have stored counts. */
  readonly countedLinks: number;
}

/** Releases the node name. */
export interface ReleaseCursor extends PassProgress {
  readonly stage: 'release';
  readonly released: ForgottenRows;
}

export type ImportCursor =
  | ClearCursor
  | RowsCursor
  | VisitsCursor
  | LinkVisitsCursor
  | HistoryCursor
  | ProofCursor
  | ReleaseCursor;

export type ImportStep = JobStep<ImportCursor>;
export const NOTHING_DONE: Pick<ImportStep, 'done'> = { done: 0 };

/** A step's import, job and open source. */
export interface StageRun {
  readonly dataImport: Import;
  readonly job: RunningJob<ImportInput, ImportCursor>;
  readonly reader: ImportReader;
}

export function beginPass(pass: PassProgress['pass']): ClearCursor {
  return { stage: 'clear', pass, counts: {}, notes: {}, history: NO_HISTORY };
}

export function firstRunPass({ options }: Import): PassProgress['pass'] {
  return options.on_conflict === 'fail' ? 'look' : 'write';
}

export function endPass(
  { dataImport, job }: StageRun,
  { pass, counts, notes, history }: PassProgress,
  countedLinks: number,
  step: Omit<ImportStep, 'cursor'>,
): ImportStep {
  const total = job.done + step.done;
  if (pass === 'write') {
    const cursor: ProofCursor = { stage: 'proof', pass, counts, notes, history, countedLinks };
    return { ...step, total, cursor };
  }
  if (pass === 'check' && dataImport.options.dry_run) return { ...step, total, cursor: null };
  return { ...step, cursor: beginPass(pass === 'look' ? 'write' : firstRunPass(dataImport)) };
}

/** A check before a run adds no counts, because the job may be cancelled before it writes. */
export function shownCounts(
  { options }: Pick<Import, 'options'>,
  pass: PassProgress['pass'],
  counts: VerdictCounts,
): Pick<ImportStep, 'counts'> {
  return pass === 'write' || options.dry_run ? { counts: counts as Record<string, number> } : {};
}

export function totalCount(counts: VerdictCounts): number {
  return Object.values(counts).reduce<number>((n, count) => n + (count ?? 0), 0);
}
