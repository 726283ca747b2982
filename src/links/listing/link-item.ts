import { ApiProperty } from '@nestjs/swagger';
import { unixSeconds } from '../../core/time';
import { LINK_STATUSES, type Link, type LinkStatus, reportedStatus } from '../lookup/link';
import { SORT_FIELDS, type SortField } from './link-order';

/** One link of a list, and answer of GET /api/v1/urls/{url_id} (contract 6.1, 6.2). */
export class LinkItemResponse {
  @ApiProperty() id!: string;
  @ApiProperty() alias!: string;
  @ApiProperty({ format: 'uri' }) long_url!: string;
  @ApiProperty({ enum: LINK_STATUSES }) status!: LinkStatus;
  @ApiProperty({ format: 'date-time' }) created_at!: string;

  @ApiProperty({ type: 'integer', nullable: true, description: 'Unix seconds' })
  expire_after!: number | null;

  @ApiProperty({ type: 'integer', nullable: true }) max_clicks!: number | null;
  @ApiProperty() private_stats!: boolean;
  @ApiProperty() block_bots!: boolean;
  @ApiProperty() password_set!: boolean;
  @ApiProperty({ type: 'integer' }) total_clicks!: number;

  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  last_click!: string | null;
}

/** Answer of GET /api/v1/urls. */
export class LinkPageResponse {
  @ApiProperty({ type: [LinkItemResponse] }) items!: LinkItemResponse[];
  @ApiProperty({ type: 'integer' }) page!: number;
  @ApiProperty({ type: 'integer' }) pageSize!: number;
  @ApiProperty({ type: 'integer' }) total!: number;
  @ApiProperty() hasNext!: boolean;
  @ApiProperty({ enum: SORT_FIELDS }) sortBy!: SortField;
  @ApiProperty({ enum: ['ascending', 'descending'] }) sortOrder!: 'ascending' | 'descending';
}

export function toLinkItem(link: Link, now: number): LinkItemResponse {
  return {
    id: link.id,
    alias: link.alias,
    long_url: link.longUrl,
    status: reportedStatus(link, now),
    created_at: link.createdAt.toISOString(),
    expire_after: unixSeconds(link.expireAfter),
    max_clicks: link.maxClicks,
    private_stats: link.privateStats,
    block_bots: link.blockBots,
    password_set: link.passwordHash !== null,
    total_clicks: link.totalClicks,
    last_click: link.lastClick?.toISOString() ?? null,
  };
}
