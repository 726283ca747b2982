import { ApiProperty, getSchemaPath } from '@nestjs/swagger';
import { ISO_PROPERTY, SHORT_CODE } from '../common/openapi/properties';
import type { Generation, ReportedStatus } from '../stores/links/link';
import { LONG_URL } from '../links/making/link.response';

export const REPORTED = {
  ACTIVE: 'active',
  INACTIVE: 'inactive',
  BLOCKED: 'blocked',
} as const satisfies Record<ReportedStatus, string>;

const STATUSES = ['expired', ...Object.values(REPORTED)] as const;

export class PreviewDestination {
  @ApiProperty(LONG_URL) url!: string;
  @ApiProperty({ description: 'The host, without the port', example: 'example.com' })
  domain!: string;
  @ApiProperty({ description: 'Path and query', example: '/spring/sale' }) path!: string;
  @ApiProperty() is_https!: boolean;
}

export class PublicPreviewResponse {
  @ApiProperty({ enum: ['v1', 'v2'] }) generation!: Generation;
  @ApiProperty(SHORT_CODE) alias!: string;
  @ApiProperty({ example: 'https://go.example.com/spring-sale' }) short_url!: string;
  @ApiProperty({
    enum: STATUSES,
    description: '`expired`: the link has expired or reached its click limit',
  })
  status!: (typeof STATUSES)[number];
  @ApiProperty(ISO_PROPERTY) created_at!: string;
  @ApiProperty() password_protected!: boolean;
  @ApiProperty({
    type: PreviewDestination,
    nullable: true,
    description: 'Null unless the link is active and has no password',
  })
  destination!: PreviewDestination | null;
  @ApiProperty({
    type: 'object',
    additionalProperties: { $ref: getSchemaPath(PreviewDestination) },
    nullable: true,
    description: 'Destinations by country, if the link has any',
  })
  geo_destinations!: Record<string, PreviewDestination> | null;
}
