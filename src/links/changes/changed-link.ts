import { ApiProperty } from '@nestjs/swagger';
import { unixSeconds } from '../../core/time';
import { LINK_STATUSES, type Link, type LinkStatus, reportedStatus } from '../lookup/link';

/** Answer of both PATCH routes (contract 6.3). */
export class UpdatedLinkResponse {
  @ApiProperty() id!: string;
  @ApiProperty() alias!: string;
  @ApiProperty({ format: 'uri' }) long_url!: string;
  @ApiProperty({ enum: LINK_STATUSES }) status!: LinkStatus;
  @ApiProperty() password_set!: boolean;
  @ApiProperty({ type: 'integer', nullable: true }) max_clicks!: number | null;

  @ApiProperty({ type: 'integer', nullable: true, description: 'Unix seconds' })
  expire_after!: number | null;

  @ApiProperty() block_bots!: boolean;
  @ApiProperty() private_stats!: boolean;
  @ApiProperty({ type: 'integer', description: 'Unix seconds' }) updated_at!: number;
}

/** A status that was asked for is answered as stored, also where an expiry overrules it (6.4). */
export function toUpdatedLink(link: Link, statusAsked: boolean): UpdatedLinkResponse {
  return {
    id: link.id,
    alias: link.alias,
    long_url: link.longUrl,
    status: statusAsked ? link.status : reportedStatus(link, Date.now()),
    password_set: link.passwordHash !== null,
    max_clicks: link.maxClicks,
    expire_after: unixSeconds(link.expireAfter),
    block_bots: link.blockBots,
    private_stats: link.privateStats,
    updated_at: unixSeconds(link.updatedAt ?? link.createdAt),
  };
}
