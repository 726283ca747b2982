import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsOptional, IsString, MaxLength } from 'class-validator';
import { DEVICES, LINK_DIMENSIONS, METRICS } from './api-dimension';
import { PeriodDto } from './period.dto';
import { IsCommaListOf, IsFilters } from './query.validators';

const list = (maxLength: number) => ({
  maxLength,
  description: 'Comma list of values, alternative to filters',
});

/** Query of GET /api/v1/stats/links/{url_id} (contract 9.1). */
export class LinkStatisticsDto extends PeriodDto {
  @ApiPropertyOptional({
    maxLength: 200,
    default: 'time',
    description: `Comma list of ${LINK_DIMENSIONS.join(', ')}`,
  })
  @IsOptional()
  @IsCommaListOf(LINK_DIMENSIONS)
  @MaxLength(200)
  @IsString()
  group_by?: string;

  @ApiPropertyOptional({ maxLength: 200, default: METRICS.join(',') })
  @IsOptional()
  @IsCommaListOf(METRICS)
  @MaxLength(200)
  @IsString()
  metrics?: string;

  @ApiPropertyOptional({
    maxLength: 5000,
    description: 'JSON object, dimension to array of strings',
  })
  @IsOptional()
  @IsFilters({ devices: true })
  @MaxLength(5000)
  @IsString()
  filters?: string;

  @ApiPropertyOptional(list(500))
  @IsOptional()
  @MaxLength(500)
  @IsString()
  browser?: string;

  @ApiPropertyOptional(list(500))
  @IsOptional()
  @MaxLength(500)
  @IsString()
  os?: string;

  @ApiPropertyOptional(list(200))
  @IsOptional()
  @IsCommaListOf(DEVICES)
  @MaxLength(200)
  @IsString()
  device?: string;

  @ApiPropertyOptional(list(1000))
  @IsOptional()
  @MaxLength(1000)
  @IsString()
  country?: string;

  @ApiPropertyOptional(list(1000))
  @IsOptional()
  @MaxLength(1000)
  @IsString()
  city?: string;

  @ApiPropertyOptional(list(2000))
  @IsOptional()
  @MaxLength(2000)
  @IsString()
  referrer?: string;

  @ApiPropertyOptional(list(1000))
  @IsOptional()
  @MaxLength(1000)
  @IsString()
  utm_source?: string;

  @ApiPropertyOptional(list(1000))
  @IsOptional()
  @MaxLength(1000)
  @IsString()
  utm_medium?: string;

  @ApiPropertyOptional(list(1000))
  @IsOptional()
  @MaxLength(1000)
  @IsString()
  utm_campaign?: string;
}
