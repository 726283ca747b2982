import { ApiProperty } from '@nestjs/swagger';
import { COUNT, ID_PROPERTY, UNIX } from '../common/openapi/properties';
import { unixSeconds } from '../common/time';
import type { Job } from '../infrastructure/jobs/job';
import { JobResponse, toJobResponse } from '../jobs/job.response';
import {
  CONFLICT_RULES,
  EXISTING_RULES,
  HISTORY_RULES,
  type Import,
  IMPORT_NOTES,
  IMPORT_SOURCES,
  IMPORT_VERDICTS,
  type ImportOptions,
  type ImportRow,
  PROTECTED_RULES,
} from './import';

const TEXT_OR_NULL = { type: String, nullable: true } as const;

class ImportOptionsResponse {
  @ApiProperty({ description: 'False: the run follows the check at once' }) dry_run!: boolean;
  @ApiProperty({ enum: CONFLICT_RULES }) on_conflict!: string;
  @ApiProperty({
    enum: EXISTING_RULES,
    description: 'Of links that were imported before and are still there',
  })
  on_existing!: string;
  @ApiProperty({ enum: HISTORY_RULES, description: 'History of clicks that is taken over' })
  history!: string;
  @ApiProperty({ example: 'Europe/Paris', description: 'Of times without a zone' })
  timezone!: string;
  @ApiProperty({ ...TEXT_OR_NULL, example: 'go.example.com' }) short_domain!: string | null;
  @ApiProperty({ type: [String], description: 'Every link gets them' }) tags!: string[];
  @ApiProperty({ enum: PROTECTED_RULES, description: 'Of links whose password is not told' })
  protected!: string;
  @ApiProperty({
    type: Object,
    additionalProperties: { type: 'string', nullable: true },
    description: 'Columns by field, in place of what the header says',
    example: { long_url: 'Target' },
  })
  mapping!: Record<string, string | null>;
}

class ImportFileResponse {
  @ApiProperty({ example: 'links.csv' }) name!: string;
  @ApiProperty(COUNT) bytes!: number;
  @ApiProperty({ pattern: '^[0-9a-f]{64}$' }) sha256!: string;
}

class ImportColumnResponse {
  @ApiProperty({ example: 'Long URL' }) name!: string;
  @ApiProperty({ type: [String], maxItems: 3 }) examples!: string[];
}

class ImportProofResponse {
  @ApiProperty({ description: 'As many rows were read as have a verdict' }) rows_ok!: boolean;
  @ApiProperty({ description: 'The database has as many links of the import as were made' })
  links_ok!: boolean;
  @ApiProperty({ description: 'All clicks of the source are stored' }) clicks_ok!: boolean;
  @ApiProperty(COUNT) differences!: number;
}

class ImportHistoryResponse {
  @ApiProperty({ ...COUNT, description: 'Become clicks of the links' }) clicks!: number;
  @ApiProperty({ ...COUNT, description: 'Are kept beside them, in `imported` of statistics' })
  counted_clicks!: number;
  @ApiProperty({ ...COUNT, description: 'Belong to links that are not taken over' })
  dropped_clicks!: number;
  @ApiProperty(COUNT) links_with_history!: number;
}

export class ImportResponse extends JobResponse {
  @ApiProperty({ enum: IMPORT_SOURCES }) source!: string;
  @ApiProperty({ description: 'True until a run has begun' }) dry_run!: boolean;
  @ApiProperty({
    ...TEXT_OR_NULL,
    example: 'https://kutt.example.com/',
    description: 'Address of the service; null for a file',
  })
  base_url!: string | null;
  @ApiProperty() options!: ImportOptionsResponse;
  @ApiProperty({
    type: ImportFileResponse,
    nullable: true,
    description: 'Null where a service is asked',
  })
  file!: ImportFileResponse | null;
  @ApiProperty({
    ...ID_PROPERTY,
    nullable: true,
    description: 'The last earlier import of that very file',
  })
  same_file_as!: string | null;
  @ApiProperty({ type: [ImportColumnResponse] }) columns!: ImportColumnResponse[];
  @ApiProperty({
    type: Object,
    additionalProperties: { type: 'integer', minimum: 0 },
    description: 'How many rows have each note',
  })
  notes!: Record<string, number>;
  @ApiProperty({ description: 'Clicks of the source: what a run will do with them, or has done' })
  history!: ImportHistoryResponse;
  @ApiProperty({ ...UNIX, nullable: true, description: 'End of the last sync; null without one' })
  last_sync_at!: number | null;
  @ApiProperty({ ...UNIX, nullable: true, description: 'When a waiting import goes on' })
  waits_until!: number | null;
  @ApiProperty({
    type: ImportProofResponse,
    nullable: true,
    description: 'What was counted after a run',
  })
  proof!: ImportProofResponse | null;
}

export class ImportPageResponse {
  @ApiProperty({ type: [ImportResponse] }) items!: ImportResponse[];
  @ApiProperty({ type: 'integer' }) page!: number;
  @ApiProperty({ type: 'integer' }) pageSize!: number;
  @ApiProperty(COUNT) total!: number;
  @ApiProperty() hasNext!: boolean;
}

export class ImportRowResponse {
  @ApiProperty({ type: 'integer', description: 'As a spreadsheet counts; the header is 1' })
  row!: number;
  @ApiProperty({ ...TEXT_OR_NULL, description: 'As the source has it' }) alias!: string | null;
  @ApiProperty(TEXT_OR_NULL) long_url!: string | null;
  @ApiProperty({ enum: IMPORT_VERDICTS }) verdict!: string;
  @ApiProperty({ enum: IMPORT_NOTES, isArray: true }) notes!: string[];
  @ApiProperty({ ...TEXT_OR_NULL, description: 'For people' }) message!: string | null;
  @ApiProperty({ ...ID_PROPERTY, nullable: true, description: 'The link of the row' })
  url_id!: string | null;
}

export class ImportRowPageResponse {
  @ApiProperty({ type: [ImportRowResponse] }) items!: ImportRowResponse[];
  @ApiProperty({ type: 'integer' }) page!: number;
  @ApiProperty({ type: 'integer' }) pageSize!: number;
  @ApiProperty(COUNT) total!: number;
  @ApiProperty() hasNext!: boolean;
}

export class RemovedImportResponse {
  @ApiProperty() message!: string;
  @ApiProperty(ID_PROPERTY) id!: string;
}

export const IMPORT_REPORT_COLUMNS = [
  'row',
  'alias',
  'long_url',
  'verdict',
  'notes',
  'message',
  'url_id',
] as const satisfies readonly (keyof ImportRowResponse)[];

export function toImportResponse(dataImport: Import, job: Job): ImportResponse {
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
    // Verdicts of a check are subtracted when its run follows, so a count may be zero.
    counts: Object.fromEntries(Object.entries(shown.counts).filter(([, count]) => count > 0)),
    source: dataImport.source,
    dry_run: dataImport.dryRun,
    options: toOptions(dataImport.options),
    base_url: dataImport.baseUrl,
    file: dataImport.file && {
      name: dataImport.file.name,
      bytes: dataImport.file.bytes,
      sha256: dataImport.file.sha256,
    },
    same_file_as: dataImport.sameFileAs,
    columns: dataImport.columns.map((column) => ({
      name: column.name,
      examples: [...column.examples],
    })),
    notes: { ...dataImport.notes },
    history: { ...dataImport.history },
    waits_until: unixSeconds(job.waitsUntil),
    proof: dataImport.proof,
    last_sync_at: dataImport.syncedAt && unixSeconds(dataImport.syncedAt),
  };
}

function toOptions(options: ImportOptions): ImportOptionsResponse {
  return { ...options, tags: [...options.tags], mapping: { ...options.mapping } };
}

export function toImportRowResponse(row: ImportRow): ImportRowResponse {
  return {
    row: row.row,
    alias: row.alias,
    long_url: row.longUrl,
    verdict: row.verdict,
    notes: [...row.notes],
    message: row.message,
    url_id: row.linkId,
  };
}
