import { ApiProperty } from '@nestjs/swagger';
import { COUNT, ID_PROPERTY, itemPage, UNIX } from '../common/openapi/properties';
import { unixSeconds } from '../common/time';
import { type Job, JOB_STATES, type JobState } from '../infrastructure/jobs/job';
import { MAX_TAGS_OF_LINK } from '../stores/tags/tag';
import { JobResponse, toJobResponse } from '../jobs/job.response';
import {
  CONFLICT_RULES,
  DEFAULT_OPTIONS,
  EXISTING_RULES,
  HISTORY_RULES,
  type Import,
  IMPORT_SOURCES,
  type ImportOptions,
  PROTECTED_RULES,
} from './store/import';

const TEXT_OR_NULL = { type: String, nullable: true } as const;

export class ImportOptionsResponse {
  @ApiProperty({
    default: DEFAULT_OPTIONS.dry_run,
    description: '`false` starts the run as soon as the check has completed without errors',
  })
  dry_run!: boolean;
  @ApiProperty({
    enum: CONFLICT_RULES,
    default: DEFAULT_OPTIONS.on_conflict,
    description:
      'If a link from another source already has the alias: `skip` the row, `rename` it with a generated alias, or `fail` before the run writes',
  })
  on_conflict!: string;
  @ApiProperty({
    enum: EXISTING_RULES,
    default: DEFAULT_OPTIONS.on_existing,
    description: 'If the link was imported before: `skip` the row, or `update` the link',
  })
  on_existing!: string;
  @ApiProperty({
    enum: HISTORY_RULES,
    default: DEFAULT_OPTIONS.history,
    description: "The source's clicks to import: `all`, daily `counts` only, or `none`",
  })
  history!: string;
  @ApiProperty({
    default: DEFAULT_OPTIONS.timezone,
    example: 'Europe/Paris',
    description: 'IANA time zone name, for times without a zone',
  })
  timezone!: string;
  @ApiProperty({
    ...TEXT_OR_NULL,
    default: DEFAULT_OPTIONS.short_domain,
    example: 'go.example.com',
    description: 'Imports only links on this domain; null imports all links',
  })
  short_domain!: string | null;
  @ApiProperty({
    type: [String],
    default: DEFAULT_OPTIONS.tags,
    maxItems: MAX_TAGS_OF_LINK,
    example: ['Imported'],
    description: 'Tags for each link',
  })
  tags!: string[];
  @ApiProperty({
    enum: PROTECTED_RULES,
    default: DEFAULT_OPTIONS.protected,
    description:
      'If the link has a password that the source does not contain: import it `inactive`, or `skip` it',
  })
  protected!: string;
  @ApiProperty({
    type: Object,
    additionalProperties: { type: 'string', nullable: true },
    description: 'Column names by field; null ignores the field',
    example: { long_url: 'Target' },
  })
  mapping!: Record<string, string | null>;
}

class ImportFileResponse {
  @ApiProperty({ example: 'links.csv' }) name!: string;
  @ApiProperty(COUNT) bytes!: number;
  @ApiProperty({ pattern: '^[0-9a-f]{64}$', example: 'e3b0c442'.repeat(8) }) sha256!: string;
}

class ImportColumnResponse {
  @ApiProperty({ example: 'Long URL' }) name!: string;
  @ApiProperty({ type: [String], maxItems: 3, example: ['https://example.com'] })
  examples!: string[];
}

class ImportProofResponse {
  @ApiProperty({ description: 'Whether every row has a verdict' }) rows_ok!: boolean;
  @ApiProperty({ description: 'Whether the database has all links that the import created' })
  links_ok!: boolean;
  @ApiProperty({ description: "Whether all of the source's clicks are stored" })
  clicks_ok!: boolean;
  @ApiProperty(COUNT) differences!: number;
}

class ImportHistoryResponse {
  @ApiProperty({ ...COUNT, description: 'Clicks that are stored with the links' }) clicks!: number;
  @ApiProperty({
    ...COUNT,
    description: 'Clicks that are stored as counts, shown as `imported` in statistics',
  })
  counted_clicks!: number;
  @ApiProperty({ ...COUNT, description: 'Clicks on links that are not imported' })
  dropped_clicks!: number;
  @ApiProperty(COUNT) links_with_history!: number;
}

class ImportUndoResponse {
  @ApiProperty({ enum: JOB_STATES }) state!: JobState;
  @ApiProperty({ ...COUNT, description: 'Links deleted so far' }) deleted!: number;
  @ApiProperty({ ...COUNT, description: 'Links to delete' }) total!: number;
}

export class ImportResponse extends JobResponse {
  @ApiProperty({ enum: IMPORT_SOURCES }) source!: string;
  @ApiProperty({ description: 'True until a run has begun' }) dry_run!: boolean;
  @ApiProperty({
    ...TEXT_OR_NULL,
    example: 'https://kutt.example.com/',
    description: "The service's address; null for a file",
  })
  base_url!: string | null;
  @ApiProperty() options!: ImportOptionsResponse;
  @ApiProperty({
    type: ImportFileResponse,
    nullable: true,
    description: 'Null if the source is an API',
  })
  file!: ImportFileResponse | null;
  @ApiProperty({
    ...ID_PROPERTY,
    nullable: true,
    description: 'The most recent earlier import of the same file',
  })
  same_file_as!: string | null;
  @ApiProperty({ type: [ImportColumnResponse] }) columns!: ImportColumnResponse[];
  @ApiProperty({
    type: Object,
    additionalProperties: { type: 'integer', minimum: 0 },
    description: 'Number of rows by note',
  })
  notes!: Record<string, number>;
  @ApiProperty({ description: "What the run does with the source's clicks" })
  history!: ImportHistoryResponse;
  @ApiProperty({
    ...UNIX,
    nullable: true,
    description: 'When the last sync ended; null if there was none',
  })
  last_sync_at!: number | null;
  @ApiProperty({
    ...COUNT,
    nullable: true,
    description: 'Requests to the service in this check or run; null for a file',
  })
  requests!: number | null;
  @ApiProperty({ ...UNIX, nullable: true, description: 'When a waiting import continues' })
  waits_until!: number | null;
  @ApiProperty({
    type: ImportProofResponse,
    nullable: true,
    description: 'Comparison of the stored data with the source after a run',
  })
  proof!: ImportProofResponse | null;
  @ApiProperty({
    type: ImportUndoResponse,
    nullable: true,
    description: 'The job that deletes the links; null if the import was never undone',
  })
  undo!: ImportUndoResponse | null;
  @ApiProperty({
    ...COUNT,
    description:
      "The number of this import's links that an undo would delete; 0 while the import or its undo is unfinished",
  })
  undoable!: number;
  @ApiProperty({
    ...COUNT,
    description: 'The number of these links that were clicked after `finished_at`',
  })
  undoable_clicked!: number;
}

export type ImportUndoFields = Pick<ImportResponse, 'undo' | 'undoable' | 'undoable_clicked'>;

export class ImportPageResponse extends itemPage(ImportResponse) {}

export class RemovedImportResponse {
  @ApiProperty({ example: 'Import removed' }) message!: string;
  @ApiProperty(ID_PROPERTY) id!: string;
}

export function toImportResponse(item: Import, job: Job, undo: ImportUndoFields): ImportResponse {
  const shown = toJobResponse(job);
  return {
    id: shown.id,
    kind: shown.kind,
    state: shown.state,
    progress: shown.progress,
    created_at: shown.created_at,
    started_at: shown.started_at,
    finished_at: shown.finished_at,
    error: shown.error,
    counts: shown.counts,
    source: item.source,
    dry_run: item.dryRun,
    options: toOptions(item.options),
    base_url: item.baseUrl,
    requests: item.file === null ? item.requests : null,
    file: item.file && {
      name: item.file.name,
      bytes: item.file.bytes,
      sha256: item.file.sha256,
    },
    same_file_as: item.sameFileAs,
    columns: item.columns.map((column) => ({
      name: column.name,
      examples: [...column.examples],
    })),
    notes: { ...item.notes },
    history: { ...item.history },
    waits_until: unixSeconds(job.waitsUntil),
    proof: item.proof,
    last_sync_at: item.syncedAt && unixSeconds(item.syncedAt),
    ...undo,
  };
}

function toOptions(options: ImportOptions): ImportOptionsResponse {
  return { ...options, tags: [...options.tags], mapping: { ...options.mapping } };
}
