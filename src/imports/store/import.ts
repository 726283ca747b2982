/** Supported sources (docs/contract.md#22.1), and what identifies a link within each source. */
export const SOURCE_KEYS = {
  csv: 'address',
  bitly_csv: 'address',
  dub_csv: 'id',
  yourls_csv: 'alias',
  shlink_csv: 'address',
  yourls_sql: 'alias',
  kutt_sql: 'id',
  curtail: 'id',
  shlink_api: 'address',
  kutt_api: 'id',
  bitly_api: 'address',
  spoo_api: 'address',
} as const satisfies Readonly<Record<string, 'address' | 'alias' | 'id'>>;
export type ImportSource = keyof typeof SOURCE_KEYS;
export const IMPORT_SOURCES = Object.keys(SOURCE_KEYS) as readonly ImportSource[];

/** Verdicts on rows, in order of precedence (docs/contract.md#22.3). */
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

export function isTaken(verdict: ImportVerdict): boolean {
  return verdict === 'updated' || isWritten(verdict);
}

export const WRITTEN_VERDICTS = ['created', 'renamed', 'protected_inactive'] as const;

export function isWritten(verdict: ImportVerdict): boolean {
  return (WRITTEN_VERDICTS as readonly ImportVerdict[]).includes(verdict);
}

export function writtenLinkIds(rows: readonly Pick<ImportRow, 'linkId' | 'verdict'>[]): string[] {
  return rows.flatMap(({ linkId, verdict }) =>
    linkId !== null && isWritten(verdict) ? [linkId] : [],
  );
}

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

export interface ImportOptions {
  readonly dry_run: boolean;
  /** Applies if another link, not from this source, already has the alias. */
  readonly on_conflict: (typeof CONFLICT_RULES)[number];
  /** Applies if an earlier import created the link and the link still exists. */
  readonly on_existing: (typeof EXISTING_RULES)[number];
  readonly history: (typeof HISTORY_RULES)[number];
  /** IANA name of the time zone for times without a zone. */
  readonly timezone: string;
  /** Imports only links on this domain; null imports links on all domains. */
  readonly short_domain: string | null;
  readonly tags: readonly string[];
  /** Applies to links whose password the source does not provide. */
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

export interface ImportRow {
  readonly row: number;
  /** The link's zero-based index within its row. */
  readonly part: number;
  readonly alias: string | null;
  readonly longUrl: string | null;
  readonly verdict: ImportVerdict;
  readonly notes: readonly ImportNote[];
  readonly message: string | null;
  readonly linkId: string | null;
}

export interface ImportHistory {
  /** Past clicks recorded as individual clicks. */
  readonly clicks: number;
  /** Past clicks stored only as counts. */
  readonly counted_clicks: number;
  /** Past clicks on skipped links. */
  readonly dropped_clicks: number;
  readonly links_with_history: number;
}

export const NO_HISTORY: ImportHistory = {
  clicks: 0,
  counted_clicks: 0,
  dropped_clicks: 0,
  links_with_history: 0,
};

export interface ImportFile {
  readonly path: string;
  readonly name: string;
  readonly bytes: number;
  readonly sha256: string;
}

/** Failures at the service since its last successful response. */
export interface ImportTrouble {
  readonly since: Date;
  readonly tries: number;
}

export interface ImportColumn {
  readonly name: string;
  readonly examples: readonly string[];
}

export interface ImportProof {
  readonly rows_ok: boolean;
  readonly links_ok: boolean;
  /** Whether all individual clicks and all counts are stored. */
  readonly clicks_ok: boolean;
  readonly differences: number;
}

export interface CopyRoom {
  readonly maxBytes: number;
  /** Throws while there is no space for more copies. */
  readonly check: () => Promise<void>;
}

/** An import; its job has the same id. */
export interface Import {
  readonly id: string;
  readonly ownerId: string;
  readonly source: ImportSource;
  readonly options: ImportOptions;
  /** Null for a service. */
  readonly file: ImportFile | null;
  /** The service's address; null if the source is a file. */
  readonly baseUrl: string | null;
  /** Encrypted credential; null for a file, and after deletion. */
  readonly credential: Buffer | null;
  readonly trouble: ImportTrouble | null;
  /** End of the last run; null for files and before the first run. */
  readonly ranAt: Date | null;
  readonly syncedAt: Date | null;
  readonly visitStep: number;
  /** Requests to the service during the current check or run. */
  readonly requests: number;
  readonly columns: readonly ImportColumn[];
  /** True until the first run starts. */
  readonly dryRun: boolean;
  readonly notes: Readonly<Partial<Record<ImportNote, number>>>;
  readonly history: ImportHistory;
  readonly proof: ImportProof | null;
  readonly sameFileAs: string | null;
  /** Whether any of the import's clicks may have been recorded. */
  readonly hasClicks: boolean;
  /** Start of the last run of which the owner was notified. */
  readonly toldRun: Date | null;
  readonly createdAt: Date;
  /** Disk space for the file's copies; set only while the job runs. */
  readonly copies?: CopyRoom;
}

/** Whether a run has succeeded; a repeated page of clicks would then count twice. */
export function isProved({ proof }: Import): boolean {
  return proof?.differences === 0;
}

export function importFilePath({ id, file }: Import): string {
  if (file === null) throw new Error(`Import ${id} has no file`);
  return file.path;
}
