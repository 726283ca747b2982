import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsInt, IsObject, IsOptional, Max, Min } from 'class-validator';
import { CheckedNames, IsDigits } from '../common/http/validators';
import { IMPORT_NOTES, IMPORT_VERDICTS } from './import';

/** Query of GET /api/v1/imports. */
export class ListImportsDto {
  @ApiPropertyOptional({ type: 'integer', minimum: 1, default: 1 })
  @IsDigits()
  @Min(1)
  @IsInt()
  page: number = 1;

  @ApiPropertyOptional({ type: 'integer', minimum: 1, maximum: 100, default: 20 })
  @IsDigits()
  @Max(100)
  @Min(1)
  @IsInt()
  pageSize: number = 20;
}

const ROW_WORDS = [...IMPORT_VERDICTS, ...IMPORT_NOTES];

/** Query of GET /api/v1/imports/{id}/rows. */
export class ImportRowsDto {
  @ApiPropertyOptional({ enum: ROW_WORDS, description: 'Rows with this verdict or note alone' })
  @IsIn(ROW_WORDS)
  @IsOptional()
  verdict?: string;

  @ApiPropertyOptional({ type: 'integer', minimum: 1, default: 1 })
  @IsDigits()
  @Min(1)
  @IsInt()
  page: number = 1;

  @ApiPropertyOptional({ type: 'integer', minimum: 1, maximum: 100, default: 50 })
  @IsDigits()
  @Max(100)
  @Min(1)
  @IsInt()
  pageSize: number = 50;
}

/** Body of POST /api/v1/imports/{id}/run. */
@CheckedNames()
export class RunImportDto {
  @ApiPropertyOptional({
    type: Object,
    additionalProperties: true,
    description: '`on_conflict`, `protected` and `tags`, in place of those that were said before',
    example: { on_conflict: 'rename' },
  })
  @IsObject()
  @IsOptional()
  options?: Record<string, unknown>;
}
