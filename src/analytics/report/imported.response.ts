import { ApiProperty } from '@nestjs/swagger';
import { COUNT, ISO_PROPERTY } from '../../common/openapi/properties';
import type { CountsInRange } from '../../stores/imported-counts/counts-sum';
import {
  COUNT_UNITS,
  COUNTED_DIMENSIONS,
  type CountedDimension,
  type CountUnit,
} from '../../stores/imported-counts/imported-counts';

class ImportedUnitResponse {
  @ApiProperty({ ...ISO_PROPERTY, description: 'When the unit starts' }) time!: string;
  @ApiProperty(COUNT) clicks!: number;
}

const LIST_OF_VALUES = {
  type: 'array' as const,
  items: {
    type: 'object',
    required: ['value', 'clicks'],
    properties: { value: { type: 'string' }, clicks: { type: 'integer', minimum: 0 } },
  },
};

/** Imported totals, not included in any other figure (docs/contract.md#22.4). */
export class ImportedResponse {
  @ApiProperty({ description: "The import's source, or `several`", example: 'bitly_csv' })
  source!: string;
  @ApiProperty({
    ...COUNT,
    description: 'Clicks in the range; all clicks if `granularity` is `total`',
  })
  clicks!: number;
  @ApiProperty({
    ...ISO_PROPERTY,
    nullable: true,
    description: 'Start of the period that the source covers',
  })
  from!: string | null;
  @ApiProperty({ ...ISO_PROPERTY, nullable: true }) to!: string | null;
  @ApiProperty({ enum: COUNT_UNITS }) granularity!: CountUnit;
  @ApiProperty({ example: 'UTC', description: "The units' time zone" }) timezone!: string;
  @ApiProperty({
    type: [ImportedUnitResponse],
    description: 'Units with clicks that lie entirely within the range',
  })
  by_time!: ImportedUnitResponse[];
  @ApiProperty({
    type: 'object',
    properties: Object.fromEntries(COUNTED_DIMENSIONS.map((name) => [name, LIST_OF_VALUES])),
    additionalProperties: false,
    description: 'Covers only the whole period; empty unless the range contains the whole period',
  })
  by!: Partial<Record<CountedDimension, { value: string; clicks: number }[]>>;
  @ApiProperty({ description: "Whether the lists add up to less than the source's total" })
  cut!: boolean;
  @ApiProperty({
    enum: [false],
    description: 'Filters and audience do not apply to imported clicks',
  })
  filtered!: false;
}

export function toImportedResponse(counts: CountsInRange): ImportedResponse {
  const { source, clicks, from, to, granularity, timezone, units, by, isCut } = counts;
  return {
    source: source ?? 'several',
    clicks,
    from: from === null ? null : new Date(from).toISOString(),
    to: to === null ? null : new Date(to).toISOString(),
    granularity,
    timezone,
    by_time: units.map((unit) => ({
      time: new Date(unit.start).toISOString(),
      clicks: unit.clicks,
    })),
    by: Object.fromEntries(
      Object.entries(by).map(([name, values]) => [
        name,
        values.map(([value, count]) => ({ value, clicks: count })),
      ]),
    ),
    cut: isCut,
    filtered: false,
  };
}
