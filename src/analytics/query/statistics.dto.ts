import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import {
  IsIn,
  IsOptional,
  IsString,
  MaxLength,
  registerDecorator,
  type ValidationArguments,
} from 'class-validator';
import { EXPORT_FORMATS, type ExportFormat } from '../export/file-formats';
import { ACCOUNT_DIMENSIONS, DEVICES, LINK_DIMENSIONS, METRICS } from './api-dimension';
import { commaList, parseFilters } from './filter-values';

function rule(
  name: string,
  validate: (value: string) => boolean,
  message: string,
): PropertyDecorator {
  return (target, property) => {
    registerDecorator({
      name,
      target: target.constructor,
      propertyName: String(property),
      validator: {
        validate: (value: unknown) => typeof value === 'string' && validate(value),
        defaultMessage: ({ property: field }: ValidationArguments) => `${field} ${message}`,
      },
    });
  };
}

/** A comma list of these words. */
export function IsCommaListOf(words: readonly string[]): PropertyDecorator {
  const fits = (value: string): boolean => commaList(value).every((part) => words.includes(part));
  return rule('isCommaListOf', fits, `must be a comma list of ${words.join(', ')}`);
}

/** A JSON object that maps dimensions to arrays of texts; devices must exist where they count. */
export function IsFilters(options: { devices: boolean }): PropertyDecorator {
  const fits = (value: string): boolean => {
    const filters = parseFilters(value);
    if (filters === null) return false;
    return filters.every(
      ([dimension, values]) =>
        !options.devices ||
        dimension !== 'device' ||
        values.every((device) => DEVICES.includes(device)),
    );
  };
  const devices = options.devices ? `, devices being ${DEVICES.join(', ')}` : '';
  return rule(
    'isFilters',
    fits,
    `must be a JSON object of dimensions to arrays of strings${devices}`,
  );
}

/** Query of public statistics, and what the statistics of a link share with it (docs/contract.md#9.1). */
export class PeriodDto {
  @ApiPropertyOptional({
    maxLength: 50,
    description: 'Unix seconds or ISO 8601, default 7 days before the end',
  })
  @IsOptional()
  @MaxLength(50)
  @IsString()
  start_date?: string;

  @ApiPropertyOptional({ maxLength: 50, description: 'Unix seconds or ISO 8601, default now' })
  @IsOptional()
  @MaxLength(50)
  @IsString()
  end_date?: string;

  @ApiPropertyOptional({ maxLength: 50, default: 'UTC', description: 'IANA name' })
  @IsOptional()
  @MaxLength(50)
  @IsString()
  timezone?: string;
}

const LIST = { description: 'Comma list of values, alternative to filters' };

/** Query of GET /api/v1/stats (docs/contract.md#9.1). */
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

const list = (maxLength: number) => ({
  maxLength,
  description: 'Comma list of values, alternative to filters',
});

/** Query of GET /api/v1/stats/links/{url_id} (docs/contract.md#9.1). */
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

/** Query of GET /api/v1/export (docs/contract.md#9.1). */
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
