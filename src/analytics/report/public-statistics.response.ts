import { ApiProperty } from '@nestjs/swagger';
import { DOMAIN, ISO_PROPERTY, SHORT_CODE } from '../../common/openapi/properties';
import {
  type Generation,
  type Link,
  type ReportedStatus,
  reportedStatus,
} from '../../stores/links/link';
import type { LinkAddress } from '../../stores/domains/link-addresses';
import { StatisticsResponse } from './statistics.response';

const PUBLIC_STATUSES = {
  ACTIVE: 'active',
  INACTIVE: 'inactive',
  BLOCKED: 'blocked',
} as const satisfies Record<ReportedStatus, string>;
type PublicStatus = (typeof PUBLIC_STATUSES)[ReportedStatus];

export class PublicLinkResponse {
  @ApiProperty(SHORT_CODE) alias!: string;
  @ApiProperty(DOMAIN) domain!: string | null;
  @ApiProperty({ example: 'https://go.example.com/spring-sale' }) short_url!: string;
  @ApiProperty({
    type: String,
    nullable: true,
    description: 'null while the link is not active, except for its owner',
    example: 'https://example.com/spring/sale',
  })
  long_url!: string | null;
  @ApiProperty(ISO_PROPERTY) created_at!: string;
  @ApiProperty({ enum: Object.values(PUBLIC_STATUSES) }) status!: PublicStatus;
  @ApiProperty({ type: 'integer', nullable: true }) max_clicks!: number | null;
  @ApiProperty() block_bots!: boolean;
  @ApiProperty() password_protected!: boolean;
}

export class PublicStatisticsResponse {
  @ApiProperty({
    enum: ['v1', 'v2'],
    description: 'v1: created with the v0 API; v2: with /api/v1',
  })
  generation!: Generation;
  @ApiProperty() link!: PublicLinkResponse;
  @ApiProperty() stats!: StatisticsResponse;
}

/** Only the owner sees a closed link's destination. */
export function publicLink(
  link: Link,
  { alias, domain, shortUrl }: LinkAddress,
  isOwner: boolean,
): PublicLinkResponse {
  const status = PUBLIC_STATUSES[reportedStatus(link, Date.now())];
  return {
    alias,
    domain,
    short_url: shortUrl,
    long_url: status === 'active' || isOwner ? link.longUrl : null,
    created_at: link.createdAt.toISOString(),
    status,
    max_clicks: link.maxClicks,
    block_bots: link.blockBots,
    password_protected: link.passwordHash !== null,
  };
}
