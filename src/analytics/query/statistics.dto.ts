import { ApiProperty, OmitType } from '@nestjs/swagger';
import { IsIn, IsOptional } from 'class-validator';
import type { Bucket } from '../../engines/click-engine/calendar/time-buckets';
import type { Audience } from '../../engines/click-engine/query/statistics-query';
import { TIME_INPUT } from '../../common/openapi/properties';
import { BomField } from '../../common/http/validators';
import { EXPORT_FORMATS, type ExportFormat } from '../../infrastructure/files/file-formats';
import {
  ACCOUNT_DIMENSIONS,
  ACCOUNT_FILTERS,
  ACCOUNT_PARAMETERS,
  LINK_DIMENSIONS,
  LINK_FILTERS,
  OFFERS,
  dimensionValues,
} from '../engine/dimensions';
import {
  AudienceField,
  BucketField,
  DimensionFields,
  FiltersField,
  GroupByField,
  LimitField,
  MergeField,
  MetricsField,
  OptionalQueryText,
} from './statistics-input.decorators';

export class PeriodDto {
  @OptionalQueryText({
    maxLength: 50,
    description: `${TIME_INPUT}. Default: 7 days before the end`,
  })
  start_date?: string;

  @OptionalQueryText({ maxLength: 50, description: `${TIME_INPUT}. Default: now` })
  end_date?: string;

  @OptionalQueryText({ maxLength: 50, default: 'UTC', description: 'IANA name' })
  timezone?: string;

  @AudienceField() audience?: Audience;
  @BucketField() bucket?: Bucket;
}

export class PublicPeriodDto extends PeriodDto {
  @OptionalQueryText({
    maxLength: 253,
    description: "The link's custom domain. Default: this service's own host",
  })
  domain?: string;
}

@DimensionFields(ACCOUNT_PARAMETERS.map((name) => ({ name, values: dimensionValues(name) })))
export class AccountStatisticsDto {
  /** Optional here, because the operator may set a default. */
  @ApiProperty({
    required: false,
    enum: ['all', 'anon'],
    description:
      '`all`: all of your links; `anon`: the link in `short_code`. Required unless the operator has set a default',
  })
  @IsIn(['all', 'anon'])
  @IsOptional()
  scope?: 'all' | 'anon';

  @OptionalQueryText({
    description: '`anon`: the link; `all`: a comma-separated list of your links',
  })
  short_code?: string;

  /** DimensionParameters declares the following fields. */
  url_id?: string;
  tag?: string;

  @OptionalQueryText({
    description: `${TIME_INPUT}. Default: when the link in \`short_code\` was created, otherwise when the oldest link was`,
  })
  start_date?: string;

  @OptionalQueryText({ description: `${TIME_INPUT}. Default: now` })
  end_date?: string;

  @OptionalQueryText({ default: 'UTC', description: 'IANA name' })
  timezone?: string;

  @AudienceField() audience?: Audience;
  @BucketField() bucket?: Bucket;
  @GroupByField(ACCOUNT_DIMENSIONS) group_by?: string;
  @MetricsField() metrics?: string;
  @FiltersField(ACCOUNT_FILTERS) filters?: string;
  @LimitField() limit?: number;
  @MergeField() merge?: boolean;
}

@DimensionFields(
  LINK_FILTERS.map((name) => ({
    name,
    maxLength: OFFERS[name].link,
    values: dimensionValues(name),
  })),
)
export class LinkStatisticsDto extends PeriodDto {
  @GroupByField(LINK_DIMENSIONS, 200) group_by?: string;
  @MetricsField(200) metrics?: string;
  @FiltersField(LINK_FILTERS, 5000) filters?: string;
  @LimitField() limit?: number;
  @MergeField() merge?: boolean;
}

export class AccountExportDto extends OmitType(AccountStatisticsDto, ['limit']) {
  @OptionalQueryText({ description: `${TIME_INPUT}. Default: 7 days before the end` })
  override start_date?: string;

  @ApiProperty({ enum: EXPORT_FORMATS, description: 'The file format' })
  @IsIn(EXPORT_FORMATS)
  format!: ExportFormat;

  @BomField() bom?: boolean;
}

export class LinkExportDto extends OmitType(LinkStatisticsDto, ['limit']) {
  @ApiProperty({ enum: EXPORT_FORMATS, description: 'The file format' })
  @IsIn(EXPORT_FORMATS)
  format!: ExportFormat;

  @BomField() bom?: boolean;
}
