import { applyDecorators } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional, type ApiPropertyOptions } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import {
  ArrayMaxSize,
  ArrayMinSize,
  IsArray,
  IsBoolean,
  IsIn,
  IsInt,
  IsOptional,
  IsString,
  Max,
  MaxLength,
  Min,
  MinLength,
  registerDecorator,
  ValidateNested,
  type ValidationArguments,
} from 'class-validator';
import { IsNumberOrText, MEMBERS, Members, SoundText } from '../common/http/validators';
import {
  CONDITION_FIELDS,
  type ConditionField,
  type NewVariant,
  MAX_CONDITIONS,
  MAX_RULES,
  MAX_CONDITION_VALUE_LENGTH,
  MAX_CONDITION_VALUES,
  MAX_VARIANTS,
  RULE_DEVICES,
  WHOLE_WEIGHT,
} from './destinations';
import { ruleKeyProblem } from './numbering';

export const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Needed because nested validation accepts lists of lists. */
const AreObjects = (): PropertyDecorator =>
  Members(
    (list) => list.flatMap((member, i) => (isObject(member) ? [] : [i])),
    'must be an object',
  );

export const MAX_ADDRESS = 2048;

const ADDRESS: ApiPropertyOptions = {
  type: String,
  minLength: 1,
  maxLength: MAX_ADDRESS,
  example: 'https://example.com/de',
};

const DestinationField = (): PropertyDecorator =>
  applyDecorators(ApiProperty(ADDRESS), IsString(), MinLength(1), MaxLength(MAX_ADDRESS));

type Problem = (value: unknown, condition: ConditionDto) => string | null;

/** Validates the list, then each member. Problems with a member include its index. */
function ListField(problemOf: Problem, memberProblem: Problem): PropertyDecorator {
  return (target, property) => {
    const declared = { target: target.constructor, propertyName: String(property) };
    const parentCondition = ({ object }: ValidationArguments): ConditionDto =>
      object as ConditionDto;
    const problemMessage = (value: unknown, args: ValidationArguments): string | null =>
      problemOf(value, parentCondition(args));
    registerDecorator({
      ...declared,
      name: 'listOf',
      validator: {
        validate: (value: unknown, args) =>
          problemMessage(value, args as ValidationArguments) === null,
        defaultMessage: (args) => problemMessage(args?.value, args as ValidationArguments) ?? '',
      },
    });
    const faults = (value: unknown, args: ValidationArguments): [number, string][] =>
      (Array.isArray(value) ? (value as unknown[]) : []).flatMap((member, i) => {
        const problem = memberProblem(member, parentCondition(args));
        return problem === null ? [] : [[i, problem] as [number, string]];
      });
    registerDecorator({
      ...declared,
      name: MEMBERS,
      validator: {
        validate: (value: unknown, args) => faults(value, args as ValidationArguments).length === 0,
        defaultMessage: (args) => {
          const found = faults(args?.value, args as ValidationArguments);
          return `${found.map(([i]) => i).join(',')}:${found[0]?.[1] ?? ''}`;
        },
      },
    });
  };
}

const LANGUAGE = /^[a-z]{2,3}(?:-[a-z0-9]{1,8}){0,3}$/i;

function valuesProblem(values: unknown, { field }: ConditionDto): string | null {
  if (values === undefined || values === null) {
    return field === 'query' || field === 'time' ? null : 'is required';
  }
  if (!Array.isArray(values)) return 'must be an array';
  if (values.length > 0 && values.length <= MAX_CONDITION_VALUES) return null;
  return `must have 1 to ${MAX_CONDITION_VALUES} values`;
}

function surrogateProblem(text: string): string | null {
  return text.isWellFormed() ? null : 'must not have unpaired surrogates';
}

function valueProblem(value: unknown, { field }: ConditionDto): string | null {
  if (typeof value !== 'string' || value === '' || value.length > MAX_CONDITION_VALUE_LENGTH) {
    return `must be a string of 1 to ${MAX_CONDITION_VALUE_LENGTH} characters`;
  }
  const surrogate = surrogateProblem(value);
  if (surrogate !== null) return surrogate;
  if (field === 'device' && !(RULE_DEVICES as readonly string[]).includes(value)) {
    return `must be one of ${RULE_DEVICES.join(', ')}`;
  }
  if (field === 'language' && !LANGUAGE.test(value))
    return 'must be a language such as de or pt-BR';
  return null;
}

function TimeField(description: string): PropertyDecorator {
  return applyDecorators(
    IsNumberOrText(),
    IsOptional(),
    ApiPropertyOptional({
      oneOf: [{ type: 'integer' }, { type: 'string' }],
      nullable: true,
      description,
    }),
  );
}

export class ConditionDto {
  @ApiProperty({ enum: CONDITION_FIELDS })
  @IsIn(CONDITION_FIELDS)
  field!: ConditionField;

  @ApiPropertyOptional({
    type: [String],
    nullable: true,
    minItems: 1,
    maxItems: MAX_CONDITION_VALUES,
    description:
      'For all fields except `time`: the visit must match one of these values. `device`: mobile, tablet or desktop. `os` and `browser`: families as in statistics. `country`: ISO 3166-1 alpha-2. `language`: `de` includes all variants of German, `pt-BR` only itself. `query`: values for the parameter `name`; any value matches if absent',
    example: ['iOS', 'Android'],
  })
  @ListField(valuesProblem, valueProblem)
  values?: string[] | null;

  @ApiPropertyOptional({
    type: String,
    nullable: true,
    minLength: 1,
    maxLength: MAX_CONDITION_VALUE_LENGTH,
    description: 'For `query`: the name of the query parameter in the short URL',
  })
  @MaxLength(MAX_CONDITION_VALUE_LENGTH)
  @MinLength(1)
  @SoundText(surrogateProblem)
  @IsOptional()
  name?: string | null;

  @TimeField('For `time`: the start, inclusive, in Unix seconds or ISO 8601')
  from?: number | string | null;

  @TimeField('For `time`: the end, exclusive') to?: number | string | null;

  @ApiPropertyOptional({
    type: Boolean,
    nullable: true,
    description: 'Whether to negate the condition',
  })
  @IsBoolean()
  @IsOptional()
  not?: boolean | null;
}

export class RuleDto {
  @ApiPropertyOptional({
    type: String,
    nullable: true,
    pattern: '^[a-z0-9-]{1,20}$',
    description:
      'The key under which its clicks are counted; generated (`r1`, `r2`, …) if absent. Include it in updates to keep it',
    example: 'r1',
  })
  @SoundText(ruleKeyProblem)
  @IsOptional()
  key?: string | null;

  @ApiProperty({
    type: [ConditionDto],
    minItems: 1,
    maxItems: MAX_CONDITIONS,
    description: 'Conditions, all of which must match',
  })
  @ValidateNested({ each: true })
  @AreObjects()
  @ArrayMaxSize(MAX_CONDITIONS)
  @ArrayMinSize(1)
  @IsArray()
  @Type(() => ConditionDto)
  when!: ConditionDto[];

  @DestinationField() to!: string;
}

export class VariantDto {
  @DestinationField() url!: string;

  @ApiProperty({
    type: 'integer',
    minimum: 1,
    maximum: WHOLE_WEIGHT,
    description: 'Percentage of visitors, among those without a matching rule or country',
  })
  @Max(WHOLE_WEIGHT)
  @Min(1)
  @IsInt()
  weight!: number;
}

function ObjectsField(
  type: typeof RuleDto | typeof VariantDto,
  max: number,
  description: string,
): PropertyDecorator {
  return applyDecorators(
    IsArray(),
    ArrayMaxSize(max),
    AreObjects(),
    ValidateNested({ each: true }),
    IsOptional(),
    Type(() => type),
    ApiPropertyOptional({ type: [type], nullable: true, maxItems: max, description }),
  );
}

export const REMOVES = 'Null or an empty value removes them all';

export const RulesField = (): PropertyDecorator =>
  ObjectsField(
    RuleDto,
    MAX_RULES,
    `Other destinations for certain visits. The first matching rule applies. ${REMOVES}`,
  );

export function VariantsField(): PropertyDecorator {
  const description = `Other destinations for a share of visitors. A visitor always gets the same variant. Weights can total up to ${WHOLE_WEIGHT}; the remaining visitors go to \`long_url\`. ${REMOVES}`;
  return applyDecorators(ObjectsField(VariantDto, MAX_VARIANTS, description), WithinWhole());
}

function WithinWhole(): PropertyDecorator {
  const variantWeight = (variant: unknown): number => {
    const { weight } = (variant ?? {}) as { weight?: unknown };
    return typeof weight === 'number' ? weight : 0;
  };
  return (target, property) => {
    registerDecorator({
      name: 'withinWhole',
      target: target.constructor,
      propertyName: String(property),
      validator: {
        validate: (list: unknown) =>
          !Array.isArray(list) ||
          list.reduce<number>((sum, variant) => sum + variantWeight(variant), 0) <= WHOLE_WEIGHT,
        defaultMessage: () => `must have weights that total at most ${WHOLE_WEIGHT}`,
      },
    });
  };
}

export type RequestedRules = readonly RuleDto[];

export function toNewVariants(variants: VariantDto[] | null): NewVariant[] {
  return (variants ?? []).map(({ url, weight }) => ({ url, weight }));
}
