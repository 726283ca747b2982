import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsObject, IsOptional, IsString } from 'class-validator';
import { CheckedNames, PageField, PageSizeField } from '../common/http/validators';
import { IMPORT_NOTES, IMPORT_VERDICTS } from './import';

export class ListImportsDto {
  @PageField()
  page: number = 1;

  @PageSizeField(20)
  pageSize: number = 20;
}

const ROW_WORDS = [...IMPORT_VERDICTS, ...IMPORT_NOTES];

export class ImportRowsDto {
  @ApiPropertyOptional({ enum: ROW_WORDS, description: 'Rows with this verdict or note alone' })
  @IsIn(ROW_WORDS)
  @IsOptional()
  verdict?: string;

  @PageField()
  page: number = 1;

  @PageSizeField(50)
  pageSize: number = 50;
}

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

@CheckedNames()
export class SyncImportDto {
  @ApiPropertyOptional({
    maxLength: 4096,
    description: 'API key or token of the service, in place of the one that was given before',
  })
  @IsString()
  @IsOptional()
  credential?: string;
}
