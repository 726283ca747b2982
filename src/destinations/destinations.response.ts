import { ApiProperty, ApiPropertyOptional, type ApiPropertyOptions } from '@nestjs/swagger';
import { UNIX } from '../common/openapi/properties';
import { unixSeconds } from '../common/time';
import {
  CONDITION_FIELDS,
  type Condition,
  type ConditionField,
  type Destinations,
} from './destinations';

class ConditionResponse {
  @ApiProperty({ enum: CONDITION_FIELDS }) field!: ConditionField;
  @ApiPropertyOptional({ type: [String], example: ['iOS', 'Android'] }) values?: string[];
  @ApiPropertyOptional({ example: 'source' }) name?: string;
  @ApiPropertyOptional(UNIX) from?: number;
  @ApiPropertyOptional(UNIX) to?: number;
  @ApiPropertyOptional({ enum: [true] }) not?: true;
}

export class RuleResponse {
  @ApiProperty({ description: 'The key under which its clicks are counted', example: 'r1' })
  key!: string;
  @ApiProperty({ type: [ConditionResponse] }) when!: ConditionResponse[];
  @ApiProperty({ example: 'https://example.com/de' }) to!: string;
}

export class VariantResponse {
  @ApiProperty({ description: 'The key under which its clicks are counted', example: '1' })
  key!: string;
  @ApiProperty({ example: 'https://example.com/b' }) url!: string;
  @ApiProperty({ type: 'integer', minimum: 1, maximum: 100 }) weight!: number;
}

export const GEO_RULES: ApiPropertyOptions = {
  type: 'object',
  additionalProperties: { type: 'string' },
  nullable: true,
  description: 'Destinations by country, ISO 3166-1 alpha-2',
  example: { DE: 'https://example.com/de' },
};

/** Returns null for kinds of destinations that the link does not have (docs/contract.md#26.1). */
export function toDestinationsResponse({ rules, geoRules, abVariants }: Destinations): {
  rules: RuleResponse[] | null;
  geo_rules: Record<string, string> | null;
  ab_variants: VariantResponse[] | null;
} {
  const nullIfEmpty = <T>(list: T[]): T[] | null => (list.length === 0 ? null : list);
  return {
    rules: nullIfEmpty(
      rules.map(({ key, when, to }) => ({ key, when: when.map(toCondition), to })),
    ),
    geo_rules: geoRules,
    ab_variants: nullIfEmpty(abVariants.map(({ key, url, weight }) => ({ key, url, weight }))),
  };
}

function toCondition({ from, to, values, ...condition }: Condition): ConditionResponse {
  return {
    ...condition,
    ...(values === undefined ? {} : { values: [...values] }),
    ...(from === undefined ? {} : { from: unixSeconds(from) }),
    ...(to === undefined ? {} : { to: unixSeconds(to) }),
  };
}
