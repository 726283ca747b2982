import { ApiProperty } from '@nestjs/swagger';
import { COUNT, DOMAIN, ID_PROPERTY, SHORT_CODE, UNIX } from '../../common/openapi/properties';
import { unixSeconds } from '../../common/time';
import type { LinkAddress } from '../../stores/domains/link-addresses';
import type { Link } from '../../stores/links/link';
import { HotLinkResponse } from '../../links/listing/link-page.response';

class LinkCountsResponse {
  @ApiProperty(COUNT) total!: number;
  @ApiProperty(COUNT) active!: number;
  @ApiProperty(COUNT) inactive!: number;
}

/** Counts by calendar day. The last seven days include today. */
class RecentClicksResponse {
  @ApiProperty(COUNT) today!: number;
  @ApiProperty(COUNT) yesterday!: number;
  @ApiProperty(COUNT) last_7_days!: number;
  @ApiProperty({ ...COUNT, description: 'The seven days before that' })
  previous_7_days!: number;

  @ApiProperty({ ...COUNT, description: 'Imported clicks of all links, which have no days' })
  imported_clicks!: number;
}

class AttentionDetailResponse {
  @ApiProperty({
    ...UNIX,
    required: false,
    description: 'For `expires_soon`: the expiry, in Unix seconds',
  })
  expire_after?: number;

  @ApiProperty({ ...COUNT, required: false, description: 'For `limit_near`: clicks used so far' })
  used_clicks?: number;

  @ApiProperty({
    type: 'integer',
    minimum: 1,
    required: false,
    description: 'For `limit_near`: the click limit',
  })
  max_clicks?: number;
}

class AttentionResponse {
  @ApiProperty({
    enum: ['expires_soon', 'limit_near'],
    description:
      '`expires_soon`: expires within seven days; `limit_near`: 90% of the limit is used',
  })
  kind!: 'expires_soon' | 'limit_near';

  @ApiProperty(ID_PROPERTY) url_id!: string;
  @ApiProperty(SHORT_CODE) alias!: string;
  @ApiProperty(DOMAIN) domain!: string | null;
  @ApiProperty() detail!: AttentionDetailResponse;
}

export class OverviewResponse {
  @ApiProperty() links!: LinkCountsResponse;
  @ApiProperty() clicks!: RecentClicksResponse;

  @ApiProperty({
    type: [HotLinkResponse],
    maxItems: 5,
    description: 'Your most clicked links in the last fourteen days',
  })
  hot!: HotLinkResponse[];

  @ApiProperty({
    type: [AttentionResponse],
    maxItems: 20,
    description:
      'Active links that will close soon, up to ten of each kind: first those that expire, in order of expiry, then those near their limit, by the share already used',
  })
  attention!: AttentionResponse[];
}

export function expiringSoon(
  { id, expireAfter }: Link,
  { alias, domain }: LinkAddress,
): AttentionResponse {
  const expire_after = unixSeconds(expireAfter) ?? undefined;
  return { kind: 'expires_soon', url_id: id, alias, domain, detail: { expire_after } };
}

export function nearLimit(
  { id, usedClicks, maxClicks }: Link,
  { alias, domain }: LinkAddress,
): AttentionResponse {
  const detail = { used_clicks: usedClicks, max_clicks: maxClicks ?? undefined };
  return { kind: 'limit_near', url_id: id, alias, domain, detail };
}
