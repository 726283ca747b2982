import { ApiProperty, ApiPropertyOptional, type ApiPropertyOptions } from '@nestjs/swagger';
import {
  COUNT,
  DOMAIN,
  ID_PROPERTY,
  ISO_PROPERTY,
  SHORT_CODE,
  UNIX,
} from '../../common/openapi/properties';
import { unixSeconds } from '../../common/time';
import {
  GEO_RULES,
  RuleResponse,
  toDestinationsResponse,
  VariantResponse,
} from '../../destinations/destinations.response';
import { type AliasObjection, CUT_HINT, cutHint } from './alias';
import { placeOfKey } from '../../stores/links/alias-form';
import {
  type Link,
  type LinkBlock,
  REPORTED_STATUSES,
  type ReportedStatus,
  reportedStatus,
} from '../../stores/links/link';
import type { LinkAddresses } from '../../stores/domains/link-addresses';
import type { FieldOutputs } from '../../stores/links/link-fields';
import type { TagSet } from '../../stores/tags/tag-set';

export class AliasAvailabilityResponse {
  @ApiProperty() available!: boolean;

  @ApiProperty({
    type: String,
    nullable: true,
    enum: ['length', 'format', 'emoji_policy', 'reserved', 'taken'],
  })
  reason!: AliasObjection | 'taken' | null;
}

export function shortUrl(baseUrl: string, alias: string): string {
  return `${baseUrl}/${alias}`;
}

const HINT: ApiPropertyOptions = {
  enum: [CUT_HINT],
  description: 'Present if the requested alias was truncated to 16 characters',
};

/** Has no `format`, because emoji are not percent-encoded. */
const SHORT_URL = { example: 'https://go.example.com/spring-sale' };
/** Has no `format`, because not every accepted destination is a valid `uri`. */
export const LONG_URL = {
  description: 'The destination, exactly as sent',
  example: 'https://example.com/spring/sale',
};

/** A response as a plain object. */
type Plain<Response> = Pick<Response, keyof Response>;

/** Fields of all responses that describe a link. */
class LinkFieldsResponse {
  @ApiProperty(ID_PROPERTY) id!: string;
  @ApiProperty(SHORT_CODE) alias!: string;
  @ApiProperty(DOMAIN) domain!: string | null;
  @ApiProperty(SHORT_URL) short_url!: string;
  @ApiProperty(LONG_URL) long_url!: string;
  @ApiProperty({ type: String, nullable: true, example: 'Spring sale' }) title!: string | null;

  @ApiProperty({ type: String, nullable: true, example: 'Ordered by the Paris office' })
  note!: string | null;

  @ApiProperty({
    type: [String],
    description: 'The names of its tags, sorted without regard to case',
    example: ['Newsletter', 'Spring sale'],
  })
  tags!: string[];

  @ApiProperty() private_stats!: boolean;
  @ApiProperty() count_bots!: boolean;
  @ApiProperty({ ...UNIX, nullable: true }) starts_at!: number | null;

  @ApiProperty({ type: String, nullable: true, example: 'https://example.com/spring/soon' })
  pre_start_url!: string | null;

  @ApiProperty({ type: String, nullable: true, example: 'https://example.com/spring/over' })
  expired_redirect_url!: string | null;

  @ApiProperty() forward_query!: boolean;
  @ApiProperty({ type: [RuleResponse], nullable: true }) rules!: RuleResponse[] | null;
  @ApiProperty(GEO_RULES) geo_rules!: Record<string, string> | null;
  @ApiProperty({ type: [VariantResponse], nullable: true }) ab_variants!: VariantResponse[] | null;
}

function toLinkFields(
  link: Link,
  tags: TagSet,
  addresses: LinkAddresses,
): Plain<LinkFieldsResponse> {
  const { alias, domain, shortUrl } = addresses.find(link.alias);
  return {
    id: link.id,
    alias,
    domain,
    short_url: shortUrl,
    long_url: link.longUrl,
    title: link.title,
    note: link.note,
    tags: tags.sortedNames(link.tags),
    private_stats: link.privateStats,
    count_bots: link.countBots,
    starts_at: unixSeconds(link.startsAt),
    pre_start_url: link.preStartUrl,
    expired_redirect_url: link.expiredRedirectUrl,
    forward_query: link.forwardQuery,
    ...toDestinationsResponse(link.destinations),
  };
}

export class CreatedLinkResponse extends LinkFieldsResponse {
  @ApiProperty({
    ...ID_PROPERTY,
    nullable: true,
    description: "The owner's account ID; null if the link has no owner",
  })
  owner_id!: string | null;

  @ApiProperty(UNIX) created_at!: number;
  @ApiProperty({ enum: ['ACTIVE'] }) status!: string;
  @ApiPropertyOptional(HINT) hint?: string;

  @ApiPropertyOptional({
    enum: [true],
    description: 'Present only with `reuse`: the link already existed',
  })
  reused?: true;

  @ApiPropertyOptional({
    description:
      'The token that lets an account claim the link. Returned only without a credential, and only in this response',
    example: '8HJ1b9p0vGq2wTn5yXkR3mZc7dLf4sAeUoIhWgQxCjM',
  })
  claim_token?: string;
}

/** @param requestedAlias the alias before it was truncated */
export function toCreatedLink(
  link: Link,
  tags: TagSet,
  addresses: LinkAddresses,
  requestedAlias?: string | null,
  more: { readonly claim_token?: string; readonly reused?: true } = {},
): CreatedLinkResponse {
  return {
    ...toLinkFields(link, tags, addresses),
    owner_id: link.ownerId,
    created_at: unixSeconds(link.createdAt),
    status: link.status,
    hint: cutHint(requestedAlias),
    ...more,
  };
}

class ExistingLinkResponse extends LinkFieldsResponse {
  @ApiProperty({ enum: REPORTED_STATUSES }) status!: ReportedStatus;
  @ApiProperty() password_set!: boolean;
  @ApiProperty({ type: 'integer', nullable: true, minimum: 1 }) max_clicks!: number | null;
  @ApiProperty({ ...UNIX, nullable: true }) expire_after!: number | null;
  @ApiProperty() block_bots!: boolean;
}

function toExistingLink(
  link: Link,
  tags: TagSet,
  addresses: LinkAddresses,
  status: ReportedStatus,
): Plain<ExistingLinkResponse> {
  return {
    ...toLinkFields(link, tags, addresses),
    status,
    password_set: link.passwordHash !== null,
    max_clicks: link.maxClicks,
    expire_after: unixSeconds(link.expireAfter),
    block_bots: link.blockBots,
  };
}

export class UpdatedLinkResponse extends ExistingLinkResponse {
  @ApiProperty(UNIX) updated_at!: number;
  @ApiPropertyOptional(HINT) hint?: string;
}

/** Returns the requested status, even if the link has expired (6.4). */
export function toUpdatedLink(
  link: Link,
  tags: TagSet,
  addresses: LinkAddresses,
  { keepsStatus, requestedAlias }: { keepsStatus: boolean; requestedAlias?: string | null },
): UpdatedLinkResponse {
  const status = keepsStatus ? link.status : reportedStatus(link, Date.now());
  return {
    ...toExistingLink(link, tags, addresses, status),
    updated_at: unixSeconds(link.updatedAt ?? link.createdAt),
    // The link's current alias is never truncated.
    hint: placeOfKey(link.alias).alias === requestedAlias ? undefined : cutHint(requestedAlias),
  };
}

class LinkBlockResponse {
  @ApiProperty({ example: 'Phishing' }) reason!: string;
  @ApiProperty(ISO_PROPERTY) at!: string;
}

export class LinkItemResponse extends ExistingLinkResponse implements FieldOutputs {
  @ApiPropertyOptional({ description: 'Present only if the status is BLOCKED' })
  blocked?: LinkBlockResponse;

  @ApiProperty(ISO_PROPERTY) created_at!: string;
  @ApiProperty(COUNT) total_clicks!: number;
  @ApiProperty({ ...ISO_PROPERTY, nullable: true }) last_click!: string | null;

  @ApiPropertyOptional({
    ...COUNT,
    minimum: 1,
    description:
      'Clicks known only as imported counts. Not part of `total_clicks`; absent if there are none',
  })
  imported_clicks?: number;

  @ApiPropertyOptional({
    ...ISO_PROPERTY,
    description:
      'When its clicks were last deleted; absent if they never were. Later clicks are counted',
  })
  clicks_deleted_at?: string;

  @ApiProperty({
    description:
      'True if the owner deactivated the link; false if a start, an expiry or a click limit is the only reason for INACTIVE',
  })
  paused!: boolean;
}

export const LINK_COLUMNS = {
  id: 24,
  alias: 16,
  short_url: 40,
  long_url: 60,
  status: 8,
  created_at: 24,
  expire_after: 12,
  max_clicks: 10,
  private_stats: 13,
  block_bots: 10,
  password_set: 12,
  total_clicks: 12,
  last_click: 24,
  title: 30,
  note: 40,
  tags: 30,
  count_bots: 10,
  starts_at: 12,
  pre_start_url: 40,
  expired_redirect_url: 40,
  forward_query: 13,
  domain: 24,
  rules: 60,
  geo_rules: 60,
  ab_variants: 60,
  blocked: 40,
  imported_clicks: 15,
  clicks_deleted_at: 24,
  paused: 8,
} as const satisfies Record<keyof LinkItemResponse, number>;

function toBlock({ reason, at }: LinkBlock): LinkBlockResponse {
  return { reason, at: at.toISOString() };
}

export function toLinkItem(
  link: Link,
  tags: TagSet,
  addresses: LinkAddresses,
  now: number,
): LinkItemResponse {
  return {
    ...toExistingLink(link, tags, addresses, reportedStatus(link, now)),
    ...(link.blocked && { blocked: toBlock(link.blocked) }),
    created_at: link.createdAt.toISOString(),
    total_clicks: link.totalClicks,
    last_click: link.lastClick?.toISOString() ?? null,
    ...(link.clicksDeletedAt && { clicks_deleted_at: link.clicksDeletedAt.toISOString() }),
    paused: link.status === 'INACTIVE' && !link.closedByLimit,
  };
}
