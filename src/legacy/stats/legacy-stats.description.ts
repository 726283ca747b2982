import { applyDecorators } from '@nestjs/common';
import { ApiExtraModels, ApiOkResponse, ApiProperty, getSchemaPath } from '@nestjs/swagger';
import { COUNT, SHORT_CODE } from '../../common/openapi/properties';
import { LEGACY_LIST_KEYS, LEGACY_LISTS } from './legacy-stats.response';

const LEGACY_TIME = {
  type: String,
  nullable: true,
  description: 'YYYY-MM-DD HH:MM:SS, UTC',
  example: '2026-09-21 14:13:20',
} as const;
const LABEL_SCHEMA = { type: String, nullable: true } as const;

@DescribesLists()
export class LegacyStatistics {
  @ApiProperty(SHORT_CODE) _id!: string;
  @ApiProperty(SHORT_CODE) short_code!: string;
  @ApiProperty({
    description: 'Empty unless the link is active',
    example: 'https://example.com/spring/sale',
  })
  url!: string;
  @ApiProperty(COUNT) 'total-clicks'!: number;
  @ApiProperty(COUNT) total_unique_clicks!: number;
  @ApiProperty({ ...LABEL_SCHEMA, pattern: '^[0-9]+$' }) 'max-clicks'!: string | null;
  @ApiProperty(LEGACY_TIME) 'expiration-time'!: string | null;
  @ApiProperty({ ...LABEL_SCHEMA, enum: ['********'] }) password!: string | null;
  @ApiProperty() 'block-bots'!: boolean;

  @ApiProperty({
    type: Boolean,
    nullable: true,
    description: 'Whether limit or expiry is reached; null without either',
  })
  expired!: boolean | null;

  @ApiProperty({ pattern: '^\\d{4,}-\\d\\d-\\d\\d$', example: '2026-09-21' })
  'creation-date'!: string;
  @ApiProperty({ pattern: '^\\d\\d:\\d\\d:\\d\\d$', example: '14:13:20' })
  'creation-time'!: string;
  @ApiProperty(LEGACY_TIME) 'last-click'!: string | null;
  @ApiProperty(LABEL_SCHEMA) 'last-click-browser'!: string | null;
  @ApiProperty(LABEL_SCHEMA) 'last-click-os'!: string | null;
  @ApiProperty(LABEL_SCHEMA) 'last-click-country'!: string | null;
  @ApiProperty() average_daily_clicks!: number;
  @ApiProperty() average_weekly_clicks!: number;
  @ApiProperty() average_monthly_clicks!: number;
  @ApiProperty({ description: 'Milliseconds' }) average_redirection_time!: number;
}

function DescribesLists(): ClassDecorator {
  return ({ prototype }) => {
    for (const key of LEGACY_LIST_KEYS) {
      const { dimension, metric } = LEGACY_LISTS[key];
      ApiProperty({
        type: 'object',
        additionalProperties: { type: 'integer', minimum: 0 },
        description: `${metric} by ${dimension === 'time' ? 'day' : dimension}`,
      })(prototype as object, key);
    }
  };
}

export function LegacyStatsAnswer(): MethodDecorator {
  return applyDecorators(
    ApiExtraModels(LegacyStatistics),
    ApiOkResponse({
      description: 'The statistics; a page when `Accept` contains text/html',
      content: {
        'application/json': { schema: { $ref: getSchemaPath(LegacyStatistics) } },
        'text/html': { schema: { type: 'string' } },
      },
    }),
  );
}
