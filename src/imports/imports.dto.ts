import { ApiProperty, ApiPropertyOptional, PartialType } from '@nestjs/swagger';
import { IsIn, IsInt, IsObject, IsOptional, IsString, Min } from 'class-validator';
import { CheckedNames, PageField, PageSizeField } from '../common/http/validators';
import { RUN_OPTIONS } from './import-options';
import { ImportOptionsResponse } from './import.response';
import { meanings } from './import-row.response';
import { CSV_HEADERS } from './reading/csv-fields';
import { IMPORT_NOTES, IMPORT_VERDICTS } from './store/import';

export class ListImportsDto {
  @PageField() page: number = 1;
  @PageSizeField(20) pageSize: number = 20;
}

const ROW_WORDS = [...IMPORT_VERDICTS, ...IMPORT_NOTES];

export class ImportRowsDto {
  @ApiPropertyOptional({
    enum: ROW_WORDS,
    description: `Only rows with this verdict or note:\n\n${meanings(ROW_WORDS)}`,
  })
  @IsIn(ROW_WORDS)
  @IsOptional()
  verdict?: string;

  @PageField() page: number = 1;
  @PageSizeField(50) pageSize: number = 50;
}

const HEADER_LINES = Object.entries(CSV_HEADERS).map(
  ([field, headers]) => `- \`${field}\`: ${headers}`,
);

/** The `options` form field and JSON member (docs/contract.md#22.2), validated by readOptions. */
export class ImportOptionsDto extends PartialType(ImportOptionsResponse) {
  @ApiPropertyOptional({
    type: Object,
    additionalProperties: { type: 'string', nullable: true },
    default: {},
    description: `Column names by field, for CSV files; null ignores the field. Other fields have the first of these headers that the file has, ignoring case, spaces, \`_\`, \`-\` and \`.\`:\n\n${HEADER_LINES.join('\n')}`,
    example: { long_url: 'Target' },
  })
  override mapping?: Record<string, string | null>;
}

@CheckedNames()
export class RunImportDto {
  @ApiPropertyOptional({
    type: Object,
    additionalProperties: true,
    description: `ImportOptionsDto options that replace those of the check: ${RUN_OPTIONS.join(', ')}. Any other option returns 422`,
    example: { on_conflict: 'rename' },
  })
  @IsObject()
  @IsOptional()
  options?: Record<string, unknown>;
}

@CheckedNames()
export class UndoImportDto {
  @ApiProperty({
    type: 'integer',
    minimum: 0,
    example: 1200,
    description: '`undoable` as the client last read it; the undo fails if the number has changed',
  })
  @Min(0)
  @IsInt()
  expected!: number;
}

@CheckedNames()
export class SyncImportDto {
  @ApiPropertyOptional({
    maxLength: 4096,
    description: "The service's API key or token; replaces the stored one",
  })
  @IsString()
  @IsOptional()
  credential?: string;
}
