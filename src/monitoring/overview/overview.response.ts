import { ApiExtraModels, ApiProperty, getSchemaPath } from '@nestjs/swagger';
import { COUNT, DOMAIN, ID_PROPERTY, SHORT_CODE, UNIX } from '../../common/openapi/properties';
import { unixSeconds } from '../../common/time';
import type { LinkAddress, LinkAddresses } from '../../stores/domains/link-addresses';
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

  @ApiProperty({
    ...COUNT,
    description: 'Imported clicks on all links, not broken down by day',
  })
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

class BlockedLinkResponse {
  @ApiProperty(ID_PROPERTY) id!: string;
  @ApiProperty(SHORT_CODE) alias!: string;
  @ApiProperty({ example: 'https://go.example.com/spring' }) short_url!: string;
}

class BlockedAttentionResponse {
  @ApiProperty({ enum: ['blocked'], description: 'Links that the operator has blocked' })
  kind!: 'blocked';

  @ApiProperty({ type: 'integer', minimum: 1 }) count!: number;
  @ApiProperty({ type: [BlockedLinkResponse], maxItems: 5, description: 'Last blocked first' })
  links!: BlockedLinkResponse[];
}

@ApiExtraModels(AttentionResponse, BlockedAttentionResponse)
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
    type: 'array',
    items: {
      oneOf: [AttentionResponse, BlockedAttentionResponse].map((model) => ({
        $ref: getSchemaPath(model),
      })),
    },
    maxItems: 21,
    description:
      'First an item about blocked links, if there are any. Then active links that will close soon, up to ten of each kind: first those that expire, in order of expiry, then those near their limit, by the share already used',
  })
  attention!: (AttentionResponse | BlockedAttentionResponse)[];
}

export function blockedLinks(
  { count, links }: { readonly count: number; readonly links: readonly Link[] },
  addresses: LinkAddresses,
): BlockedAttentionResponse {
  const named = links.map(({ id, alias: key }) => {
    const { alias, shortUrl } = addresses.find(key);
    return { id, alias, short_url: shortUrl };
  });
  return { kind: 'blocked', count, links: named };
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
