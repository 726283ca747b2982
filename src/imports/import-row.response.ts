import { ApiProperty } from '@nestjs/swagger';
import { ID_PROPERTY, itemPage } from '../common/openapi/properties';
import {
  IMPORT_NOTES,
  IMPORT_VERDICTS,
  type ImportNote,
  type ImportRow,
  type ImportVerdict,
} from './store/import';

const TEXT_OR_NULL = { type: String, nullable: true } as const;

/** Meanings of verdicts and notes (docs/contract.md#22.3). */
const MEANINGS: Readonly<Record<ImportVerdict | ImportNote, string>> = {
  row_unreadable: 'broken quoting, too many columns, too large, or not text',
  alias_unsupported: 'several segments, unsupported characters, or too long',
  alias_reserved: 'the alias is a fixed path on this service',
  destination_unsupported: 'missing, unreadable, not http or https, or too long',
  destination_blocked: "on one of the operator's blocklists",
  destination_loop: 'leads to this service',
  duplicate_in_file: 'an earlier row has the alias with another destination',
  unchanged: 'imported before, and nothing differs or `on_existing` is `skip`',
  updated: 'imported before, and replaced because `on_existing` is `update`',
  alias_taken: 'another link has the alias',
  renamed: 'another link has the alias, so the new link has a generated one',
  protected_skipped: 'has a password that the source does not contain; skipped',
  protected_inactive: 'has a password that the source does not contain; imported inactive',
  created: 'imported',
  time_unreadable: 'a time was unreadable or in the future',
  encoding_guessed: 'read as Windows-1252',
  history_partial: 'the source counts more clicks than it lists, or the clicks were deleted here',
  feature_dropped: 'a value was dropped or cut; `message` names it',
  alias_generated: 'the source has no alias, so one was generated',
};

export function meanings(words: readonly (keyof typeof MEANINGS)[]): string {
  return words.map((word) => `- \`${word}\`: ${MEANINGS[word]}`).join('\n');
}

export class ImportRowResponse {
  @ApiProperty({ type: 'integer', description: 'Row number as in a spreadsheet; the header is 1' })
  row!: number;
  @ApiProperty({ ...TEXT_OR_NULL, description: 'As in the source' }) alias!: string | null;
  @ApiProperty(TEXT_OR_NULL) long_url!: string | null;
  @ApiProperty({ enum: IMPORT_VERDICTS, description: meanings(IMPORT_VERDICTS) })
  verdict!: string;
  @ApiProperty({ enum: IMPORT_NOTES, isArray: true, description: meanings(IMPORT_NOTES) })
  notes!: string[];
  @ApiProperty({ ...TEXT_OR_NULL, description: 'For people' }) message!: string | null;
  @ApiProperty({ ...ID_PROPERTY, nullable: true, description: "The row's link" })
  url_id!: string | null;
}

export class ImportRowPageResponse extends itemPage(ImportRowResponse) {}

export const IMPORT_REPORT_COLUMNS = [
  'row',
  'alias',
  'long_url',
  'verdict',
  'notes',
  'message',
  'url_id',
] as const satisfies readonly (keyof ImportRowResponse)[];

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

export function toReportRow(row: ImportRow): (string | number | null)[] {
  const response = toImportRowResponse(row);
  return IMPORT_REPORT_COLUMNS.map((name) => {
    const value = response[name];
    return Array.isArray(value) ? value.join(' ') : value;
  });
}
