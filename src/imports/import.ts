import type { CopyRoom } from './plain-file';

/** Sources that can be imported: the same reader, the service named as origin (docs/contract.md#22.1). */
export const IMPORT_SOURCES = [
  'csv',
  'bitly_csv',
  'dub_csv',
  'yourls_csv',
  'shlink_csv',
  'yourls_sql',
  'kutt_sql',
  'spoo_export',
  'curtail',
  'shlink_api',
  'kutt_api',
  'bitly_api',
  'spoo_api',
] as const;
export type ImportSource = (typeof IMPORT_SOURCES)[number];

/** Verdicts on rows; the first that applies counts (docs/contract.md#22.3). */
export const IMPORT_VERDICTS = [
  'row_unreadable',
  'alias_unsupported',
  'alias_reserved',
  'destination_unsupported',
  'destination_blocked',
  'destination_loop',
  'duplicate_in_file',
  'unchanged',
  'updated',
  'alias_taken',
  'renamed',
  'protected_skipped',
  'protected_inactive',
  'created',
] as const;
export type ImportVerdict = (typeof IMPORT_VERDICTS)[number];

/** Whether the history of the row is taken over. */
export function isTaken(verdict: ImportVerdict): boolean {
  return verdict === 'updated' || isWritten(verdict);
}

/** Verdicts of rows that are written. */
export const WRITTEN_VERDICTS = ['created', 'renamed', 'protected_inactive'] as const;

export function isWritten(verdict: ImportVerdict): boolean {
  return (WRITTEN_VERDICTS as readonly ImportVerdict[]).includes(verdict);
}

/** Stand beside a verdict. */
export const IMPORT_NOTES = [
  'time_unreadable',
  'encoding_guessed',
  'history_partial',
  'feature_dropped',
  'alias_generated',
] as const;
export type ImportNote = (typeof IMPORT_NOTES)[number];

export const CONFLICT_RULES = ['skip', 'rename', 'fail'] as const;
export const EXISTING_RULES = ['skip', 'update'] as const;
export const HISTORY_RULES = ['all', 'counts', 'none'] as const;
export const PROTECTED_RULES = ['inactive', 'skip'] as const;

/** Options of an import, all of them said (docs/contract.md#22.2). */
export interface ImportOptions {
  readonly dry_run: boolean;
  /** The way out where a link of another origin has the alias. */
  readonly on_conflict: (typeof CONFLICT_RULES)[number];
  /** The treatment of a link that was imported before and is still there. */
  readonly on_existing: (typeof EXISTING_RULES)[number];
  /** The part of the history of clicks that is taken over. */
  readonly history: (typeof HISTORY_RULES)[number];
  /** IANA name, for times without a zone. */
  readonly timezone: string;
  /** Takes links of this domain alone; null takes all. */
  readonly short_domain: string | null;
  /** Names of tags that every link gets. */
  readonly tags: readonly string[];
  /** The same for links whose password no source gives. */
  readonly protected: (typeof PROTECTED_RULES)[number];
  readonly mapping: Readonly<Record<string, string | null>>;
}

export const DEFAULT_OPTIONS: ImportOptions = {
  dry_run: true,
  on_conflict: 'skip',
  on_existing: 'skip',
  history: 'all',
  timezone: 'UTC',
  short_domain: null,
  tags: [],
  protected: 'inactive',
  mapping: {},
};

/** One row as its verdict is kept and shown. */
export interface ImportRow {
  readonly row: number;
  /** Counts the links of one row from 0. */
  readonly part: number;
  readonly alias: string | null;
  readonly longUrl: string | null;
  readonly verdict: ImportVerdict;
  readonly notes: readonly ImportNote[];
  readonly message: string | null;
  readonly linkId: string | null;
}

/** Clicks of a source, and what becomes of them (docs/contract.md#22.2). */
export interface ImportHistory {
  /** Become clicks of ours. */
  readonly clicks: number;
  /** Are kept as counts beside them. */
  readonly counted_clicks: number;
  /** Belong to links that were not taken over. */
  readonly dropped_clicks: number;
  readonly links_with_history: number;
}

export const NO_HISTORY: ImportHistory = {
  clicks: 0,
  counted_clicks: 0,
  dropped_clicks: 0,
  links_with_history: 0,
};

/** The uploaded file. */
export interface ImportFile {
  readonly path: string;
  readonly name: string;
  readonly bytes: number;
  readonly sha256: string;
}

/** Failures of the service that an import reads, since the last answer of it. */
export interface ImportTrouble {
  readonly since: Date;
  readonly tries: number;
}

/** A column of the file, with values of its first rows. */
export interface ImportColumn {
  readonly name: string;
  readonly examples: readonly string[];
}

/** Links whose history is compared with the source at most. */
export const MAX_SAMPLED = 20;

/** Counts of a finished run against the database (docs/contract.md#22.8). */
export interface ImportProof {
  readonly rows_ok: boolean;
  readonly links_ok: boolean;
  /** Clicks and counts that came in are there; absent in proofs of before. */
  readonly clicks_ok?: boolean;
  /** Links whose history was compared with the source; absent in proofs of before. */
  readonly sampled?: number;
  readonly differences: number;
}

/** An import beside its job, whose id it has. */
export interface Import {
  readonly id: string;
  readonly ownerId: string;
  readonly source: ImportSource;
  readonly options: ImportOptions;
  /** Null where a service is asked. */
  readonly file: ImportFile | null;
  /** Address of the service; null for a file. */
  readonly baseUrl: string | null;
  /** Sealed; null for a file, and once it is forgotten. */
  readonly credential: Buffer | null;
  readonly trouble: ImportTrouble | null;
  /** End of the last run of an import from a service; null before. */
  readonly ranAt: Date | null;
  readonly syncedAt: Date | null;
  /** Number of the last step that has taken visits. */
  readonly visitStep: number;
  readonly columns: readonly ImportColumn[];
  /** True until a run has begun. */
  readonly dryRun: boolean;
  readonly notes: Readonly<Partial<Record<ImportNote, number>>>;
  readonly history: ImportHistory;
  readonly proof: ImportProof | null;
  readonly sameFileAs: string | null;
  /** Whether clicks of it may be recorded. */
  readonly hasClicks: boolean;
  /** Begin of the last run whose end its owner was told of by mail; null for none. */
  readonly toldRun: Date | null;
  readonly createdAt: Date;
  /** Room for copies of the file while its job runs; absent elsewhere. */
  readonly copies?: CopyRoom;
}

/** Whether a run has come to its end: no page of clicks would be known again. */
export function isProved({ proof }: Import): boolean {
  return proof?.differences === 0;
}

/** The path of the file of an import that has one. */
export function importFilePath({ id, file }: Import): string {
  if (file === null) throw new Error(`Import ${id} has no file`);
  return file.path;
}
