import { applyDecorators } from '@nestjs/common';
import { ApiPropertyOptional, type ApiPropertyOptions } from '@nestjs/swagger';
import {
  IsBoolean,
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
import { BUCKETS } from '../../engines/click-engine/calendar/time-buckets';
import { IsDigits, IsFlag } from '../../common/http/validators';
import { type FilterName, LINK_FILTER_NAMES, dimensionValues } from '../engine/dimensions';
import {
  AUDIENCES,
  type Dimension,
  DIMENSIONS,
  MAX_RESULT_ROWS,
  METRICS,
} from '../../engines/click-engine/query/statistics-query';
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

function IsCommaList(words: readonly string[]): PropertyDecorator {
  const fits = (value: string): boolean => commaList(value).every((part) => words.includes(part));
  return rule('isCommaListOf', fits, `must be a comma-separated list of ${words.join(', ')}`);
}

function IsFilters(filterNames: readonly FilterName[] = []): PropertyDecorator {
  const known = new Map(filterNames.map((name) => [name as string, dimensionValues(name)]));
  const fits = (value: string): boolean => {
    const filters = parseFilters(value);
    if (filters === null) return false;
    return filters.every(([dimension, values]) => {
      // An error is better than ignoring this name, because the response would include all
      // audiences.
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
    `must be a JSON object that maps dimensions to arrays of strings${limited.join('')}`,
  );
}

export function OptionalQueryText(
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

/** Lists the names that require scope=all. */
function namesOfAll(names: readonly string[]): string {
  const chosen = names.filter((name) => OF_ALL.includes(name)).map((name) => `\`${name}\``);
  return chosen.length === 0 ? '' : `; ${chosen.join(', ')} only with \`scope=all\``;
}
const OF_ALL: readonly string[] = [...LINK_FILTER_NAMES, 'tag'];

export function GroupByField(names: readonly string[], maxLength?: number): PropertyDecorator {
  const description = `Comma-separated list of ${names.join(', ')}${namesOfAll(names)}`;
  return OptionalQueryText({ maxLength, default: 'time', description }, IsCommaList(names));
}

export function MetricsField(maxLength?: number): PropertyDecorator {
  const description = `Comma-separated list of ${METRICS.join(', ')}`;
  return OptionalQueryText(
    { maxLength, default: METRICS.join(','), description },
    IsCommaList(METRICS),
  );
}

export function FiltersField(
  filterNames: readonly FilterName[] = [],
  maxLength?: number,
): PropertyDecorator {
  const description = `JSON object that maps dimensions to arrays of values. Dimensions: ${filterNames.join(', ')}${namesOfAll(filterNames)}. For each dimension, a click must match one of the values`;
  const example = '{"browser":["Firefox","Chrome"]}';
  return OptionalQueryText({ maxLength, description, example }, IsFilters(filterNames));
}

export function DimensionFields(
  fields: readonly { name: string; maxLength?: number; values?: readonly string[] | null }[],
): ClassDecorator {
  return ({ prototype }) => {
    for (const { name, maxLength, values } of fields) {
      const rules = values == null ? [] : [IsCommaList(values)];
      const description = filterText(name, values ?? null);
      OptionalQueryText({ maxLength, description }, ...rules)(prototype as object, name);
    }
  };
}

const SCOPE_ALL_FILTERS: Readonly<Record<string, string>> = {
  url_id: 'Comma-separated list of link IDs; only with `scope=all`',
  tag: 'Comma-separated list of tag names; only with `scope=all`. `(none)` selects links without tags',
};

function filterText(name: string, values: readonly string[] | null): string {
  if (values !== null) return `Comma-separated list of ${values.join(', ')}; adds to \`filters\``;
  const missing = name in DIMENSIONS ? DIMENSIONS[name as Dimension].missing : null;
  const text = `Comma-separated list of values as in responses, case-sensitive${missing === null ? '' : `; \`${missing}\`: no value`}${name === 'country' ? '. Also ISO alpha-2 codes' : ''}`;
  return SCOPE_ALL_FILTERS[name] ?? text;
}

export function AudienceField(): PropertyDecorator {
  return applyDecorators(
    IsIn(AUDIENCES),
    IsOptional(),
    ApiPropertyOptional({
      enum: AUDIENCES,
      default: 'all',
      description:
        'Whose clicks to count. `preview`: link previews and prefetches; `bot`: known bots; `human`: all other visitors',
    }),
  );
}

export function BucketField(): PropertyDecorator {
  return applyDecorators(
    IsIn(BUCKETS),
    IsOptional(),
    ApiPropertyOptional({
      enum: BUCKETS,
      default: 'auto',
      description: `Unit of the list over time; \`auto\` depends on the range. The range can contain up to ${MAX_RESULT_ROWS} units`,
    }),
  );
}

export function LimitField(): PropertyDecorator {
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
      description:
        'Maximum number of rows in each list, largest first; the list over time always has all rows',
    }),
  );
}

export function MergeField(): PropertyDecorator {
  return applyDecorators(
    IsFlag(),
    IsBoolean(),
    IsOptional(),
    ApiPropertyOptional({
      type: Boolean,
      default: false,
      description:
        'Whether known hosts of a site, such as `m.facebook.com`, and mobile variants of a browser are one value in lists and filters',
    }),
  );
}
