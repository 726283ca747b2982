import { applyDecorators } from '@nestjs/common';
import {
  ApiProperty,
  ApiPropertyOptional,
  type ApiPropertyOptions,
  OmitType,
} from '@nestjs/swagger';
import {
  IsIn,
  IsInt,
  IsOptional,
  IsString,
  Max,
  MaxLength,
  Min,
  registerDecorator,
  type ValidationArguments,
} from 'class-validator';
import { type Bucket, BUCKETS } from '../../engines/click-engine/calendar/time-buckets';
import { BomField, IsDigits } from '../../common/http/validators';
import { EXPORT_FORMATS, type ExportFormat } from '../../infrastructure/files/file-formats';
import {
  ACCOUNT_DIMENSIONS,
  ACCOUNT_FILTERS,
  ACCOUNT_PARAMETERS,
  OFFERS,
  type FilterName,
  LINK_DIMENSIONS,
  LINK_FILTERS,
  dimensionValues,
} from '../dimensions';
import { type Audience, AUDIENCES, METRICS } from '../../engines/click-engine/statistics-query';
import { MAX_RESULT_ROWS } from '../../engines/click-engine/statistics-result';
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

export function IsCommaList(words: readonly string[]): PropertyDecorator {
  const fits = (value: string): boolean => commaList(value).every((part) => words.includes(part));
  return rule('isCommaListOf', fits, `must be a comma list of ${words.join(', ')}`);
}

export function IsFilters(filterNames: readonly FilterName[] = []): PropertyDecorator {
  const known = new Map(filterNames.map((name) => [name as string, dimensionValues(name)]));
  const fits = (value: string): boolean => {
    const filters = parseFilters(value);
    if (filters === null) return false;
    return filters.every(([dimension, values]) => {
      // Ignoring it like other unknown names would return the clicks of all audiences.
      if (dimension === 'audience') return false;
      const existing = known.get(dimension) ?? null;
      return existing === null || values.every((value) => existing.includes(value));
    });
  };
  const limited = [...known].flatMap(([name, values]) =>
    values === null ? [] : [`, ${name} being ${values.join(', ')}`],
  );
  return rule(
    'isFilters',
    fits,
    `must be a JSON object of dimensions to arrays of strings${limited.join('')}`,
  );
}

function OptionalQueryText(
  description: ApiPropertyOptions & { maxLength?: number },
  ...rules: PropertyDecorator[]
): PropertyDecorator {
  const { maxLength } = description;
  return applyDecorators(
    IsString(),
    ...(maxLength === undefined ? [] : [MaxLength(maxLength)]),
    ...rules,
    IsOptional(),
    ApiPropertyOptional({ type: String, ...description }),
  );
}

function GroupByField(names: readonly string[], maxLength?: number): PropertyDecorator {
  const description = `Comma list of ${names.join(', ')}`;
  return OptionalQueryText({ maxLength, default: 'time', description }, IsCommaList(names));
}

function MetricsField(maxLength?: number): PropertyDecorator {
  const description = `Comma list of ${METRICS.join(', ')}`;
  return OptionalQueryText(
    { maxLength, default: METRICS.join(','), description },
    IsCommaList(METRICS),
  );
}

function FiltersField(
  filterNames: readonly FilterName[] = [],
  maxLength?: number,
): PropertyDecorator {
  const description = 'JSON object of dimensions to arrays of values';
  const example = '{"browser":["Firefox","Chrome"]}';
  return OptionalQueryText({ maxLength, description, example }, IsFilters(filterNames));
}

function DimensionFields(
  fields: readonly { name: string; maxLength?: number; values?: readonly string[] | null }[],
): ClassDecorator {
  const description = 'Comma list of values, alternative to filters';
  return ({ prototype }) => {
    for (const { name, maxLength, values } of fields) {
      const rules = values == null ? [] : [IsCommaList(values)];
      OptionalQueryText({ maxLength, description }, ...rules)(prototype as object, name);
    }
  };
}

function AudienceField(): PropertyDecorator {
  return applyDecorators(
    IsIn(AUDIENCES),
    IsOptional(),
    ApiPropertyOptional({
      enum: AUDIENCES,
      default: 'all',
      description:
        'Whose clicks are counted: preview are link previewers and visits asked for ahead, bot the known bots, human everybody else',
    }),
  );
}

function BucketField(): PropertyDecorator {
  return applyDecorators(
    IsIn(BUCKETS),
    IsOptional(),
    ApiPropertyOptional({
      enum: BUCKETS,
      default: 'auto',
      description: `How the list over time is cut; auto is by day, week or month as fits the range. At most ${MAX_RESULT_ROWS} hours, days, weeks or months`,
    }),
  );
}

function LimitField(): PropertyDecorator {
  return applyDecorators(
    Max(MAX_RESULT_ROWS),
    Min(1),
    IsInt(),
    IsDigits(),
    IsOptional(),
    ApiPropertyOptional({
      type: 'integer',
      minimum: 1,
      maximum: MAX_RESULT_ROWS,
      default: MAX_RESULT_ROWS,
      description: 'Rows of each list, the largest first; the list over time is never cut',
    }),
  );
}

export class PeriodDto {
  @OptionalQueryText({
    maxLength: 50,
    description: 'Unix seconds or ISO 8601, default 7 days before the end',
  })
  start_date?: string;

  @OptionalQueryText({ maxLength: 50, description: 'Unix seconds or ISO 8601, default now' })
  end_date?: string;

  @OptionalQueryText({ maxLength: 50, default: 'UTC', description: 'IANA name' })
  timezone?: string;

  @AudienceField()
  audience?: Audience;

  @BucketField()
  bucket?: Bucket;
}

export class PublicPeriodDto extends PeriodDto {
  @OptionalQueryText({
    maxLength: 253,
    description: "The custom domain that the link lies on; this service's own host without one",
  })
  domain?: string;
}

@DimensionFields(ACCOUNT_PARAMETERS.map((name) => ({ name, values: dimensionValues(name) })))
export class AccountStatisticsDto {
  /** Resolved when links are looked up; the default is the operator's choice. */
  @ApiProperty({
    required: false,
    enum: ['all', 'anon'],
    description:
      'all: every link of the account; anon: one link, named by short_code. Must be given unless the operator has set a default',
  })
  @IsIn(['all', 'anon'])
  @IsOptional()
  scope?: 'all' | 'anon';

  @OptionalQueryText({ description: 'anon: the link; all: narrows to own links, a comma list' })
  short_code?: string;

  /** The decorator declares these with the dimensions. */
  url_id?: string;
  tag?: string;

  @OptionalQueryText({ description: 'Unix seconds or ISO 8601' })
  start_date?: string;

  @OptionalQueryText({ description: 'Unix seconds or ISO 8601, default now' })
  end_date?: string;

  @OptionalQueryText({ default: 'UTC', description: 'IANA name' })
  timezone?: string;

  @AudienceField()
  audience?: Audience;

  @BucketField()
  bucket?: Bucket;

  @GroupByField(ACCOUNT_DIMENSIONS)
  group_by?: string;

  @MetricsField()
  metrics?: string;

  @FiltersField(ACCOUNT_FILTERS)
  filters?: string;

  @LimitField()
  limit?: number;
}

@DimensionFields(
  LINK_FILTERS.map((name) => ({
    name,
    maxLength: OFFERS[name].link,
    values: dimensionValues(name),
  })),
)
export class LinkStatisticsDto extends PeriodDto {
  @GroupByField(LINK_DIMENSIONS, 200)
  group_by?: string;

  @MetricsField(200)
  metrics?: string;

  @FiltersField(LINK_FILTERS, 5000)
  filters?: string;

  @LimitField()
  limit?: number;
}

export class AccountExportDto extends OmitType(AccountStatisticsDto, ['limit']) {
  @ApiProperty({ enum: EXPORT_FORMATS, description: 'The kind of file' })
  @IsIn(EXPORT_FORMATS)
  format!: ExportFormat;

  @BomField()
  bom?: boolean;
}

export class LinkExportDto extends OmitType(LinkStatisticsDto, ['limit']) {
  @ApiProperty({ enum: EXPORT_FORMATS, description: 'The kind of file' })
  @IsIn(EXPORT_FORMATS)
  format!: ExportFormat;

  @BomField()
  bom?: boolean;
}
