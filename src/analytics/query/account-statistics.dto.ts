import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsOptional, IsString } from 'class-validator';
import { ACCOUNT_DIMENSIONS, METRICS } from './api-dimension';
import { IsCommaListOf, IsFilters } from './query.validators';

const LIST = { description: 'Comma list of values, alternative to filters' };

/** Query of GET /api/v1/stats (contract 9.1). */
export class AccountStatisticsDto {
  @ApiProperty({ enum: ['all', 'anon'] })
  @IsIn(['all', 'anon'])
  scope!: 'all' | 'anon';

  @ApiPropertyOptional({ description: 'anon: the link; all: narrows to one own link' })
  @IsOptional()
  @IsString()
  short_code?: string;

  @ApiPropertyOptional({ description: 'Unix seconds or ISO 8601' })
  @IsOptional()
  @IsString()
  start_date?: string;

  @ApiPropertyOptional({ description: 'Unix seconds or ISO 8601, default now' })
  @IsOptional()
  @IsString()
  end_date?: string;

  @ApiPropertyOptional({ default: 'UTC', description: 'IANA name' })
  @IsOptional()
  @IsString()
  timezone?: string;

  @ApiPropertyOptional({
    default: 'time',
    description: `Comma list of ${ACCOUNT_DIMENSIONS.join(', ')}`,
  })
  @IsOptional()
  @IsCommaListOf(ACCOUNT_DIMENSIONS)
  @IsString()
  group_by?: string;

  @ApiPropertyOptional({ default: METRICS.join(',') })
  @IsOptional()
  @IsCommaListOf(METRICS)
  @IsString()
  metrics?: string;

  @ApiPropertyOptional({ description: 'JSON object, dimension to array of strings' })
  @IsOptional()
  @IsFilters({ devices: false })
  @IsString()
  filters?: string;

  @ApiPropertyOptional(LIST)
  @IsOptional()
  @IsString()
  browser?: string;

  @ApiPropertyOptional(LIST)
  @IsOptional()
  @IsString()
  os?: string;

  @ApiPropertyOptional(LIST)
  @IsOptional()
  @IsString()
  country?: string;

  @ApiPropertyOptional(LIST)
  @IsOptional()
  @IsString()
  city?: string;

  @ApiPropertyOptional(LIST)
  @IsOptional()
  @IsString()
  referrer?: string;
}
