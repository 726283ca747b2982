import { ApiProperty } from '@nestjs/swagger';
import { IsIn } from 'class-validator';
import { EXPORT_FORMATS, type ExportFormat } from '../export/export-format';
import { AccountStatisticsDto } from './account-statistics.dto';
import { LinkStatisticsDto } from './link-statistics.dto';

/** Query of GET /api/v1/export (contract 9.1). */
export class AccountExportDto extends AccountStatisticsDto {
  @ApiProperty({ enum: EXPORT_FORMATS })
  @IsIn(EXPORT_FORMATS)
  format!: ExportFormat;
}

/** Query of GET /api/v1/export/links/{url_id}. */
export class LinkExportDto extends LinkStatisticsDto {
  @ApiProperty({ enum: EXPORT_FORMATS })
  @IsIn(EXPORT_FORMATS)
  format!: ExportFormat;
}
