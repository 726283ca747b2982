import { ApiProperty, OmitType, PartialType } from '@nestjs/swagger';
import { IsString, Length } from 'class-validator';
import { cutAlias } from './alias';
import type { CreateLink, LinkStatus, LinkUpdate } from './link';
import {
  AliasField,
  ExpiryField,
  FlagField,
  LinkPasswordField,
  MaxClicksField,
  StatusField,
  UrlField,
} from './link-fields';

/** Body of POST /api/v1/shorten (docs/contract.md#5.1). */
export class CreateLinkDto {
  @UrlField({ orElse: 'url', description: 'The destination: an http or https address' })
  long_url?: string | null;

  @UrlField({
    optional: true,
    deprecated: true,
    description: 'Another name of long_url, accepted in its place; long_url wins',
  })
  url?: string | null;

  @AliasField({ optional: true })
  alias?: string | null;

  @LinkPasswordField({ optional: true })
  password?: string | null;

  @MaxClicksField({ optional: true })
  max_clicks?: number | null;

  @ExpiryField({ optional: true })
  expire_after?: number | string | null;

  @FlagField({
    optional: true,
    description: 'Whether known crawlers are turned away; false for a new link unless given',
  })
  block_bots?: boolean | null;

  @FlagField({
    optional: true,
    description:
      'Whether statistics are for the owner alone; true needs a credential, and is what a new link of an account has unless given',
  })
  private_stats?: boolean | null;
}

/** The fields that an update treats otherwise than a creation does. */
const DIFFERENT = ['long_url', 'password', 'max_clicks', 'expire_after'] as const;

/** Body of PATCH /api/v1/urls/{url_id} (docs/contract.md#6.3); an absent key changes nothing. */
export class UpdateLinkDto extends PartialType(OmitType(CreateLinkDto, DIFFERENT)) {
  @UrlField({ optional: true })
  long_url?: string | null;

  @LinkPasswordField({ optional: true, removable: true })
  password?: string | null;

  @MaxClicksField({ optional: true, removable: true })
  max_clicks?: number | null;

  @ExpiryField({ optional: true, removable: true })
  expire_after?: number | string | null;

  @StatusField({ optional: true })
  status?: LinkStatus | null;
}

/** Body of PATCH /api/v1/urls/{url_id}/status (docs/contract.md#6.4). */
export class UpdateStatusDto {
  @StatusField()
  status!: LinkStatus;
}

/** Query of GET /api/v1/shorten/check-alias (docs/contract.md#5.5). */
export class CheckAliasDto {
  @ApiProperty({
    minLength: 1,
    maxLength: 64,
    description: 'The alias that is asked about',
    example: 'spring-sale',
  })
  @Length(1, 64)
  @IsString()
  alias!: string;
}

/** @param ownerId null = anonymous */
export function toCreateLink(body: CreateLinkDto, ownerId: string | null): CreateLink {
  return {
    longUrl: body.long_url ?? body.url ?? '',
    alias: body.alias ? cutAlias(body.alias) : null,
    password: body.password ?? null,
    maxClicks: body.max_clicks ?? null,
    expireAfter: body.expire_after ?? null,
    blockBots: body.block_bots ?? false,
    privateStats: body.private_stats ?? ownerId !== null,
    ownerId,
    generation: 'v2',
  };
}

/** docs/contract.md#6.3: null removes what can be removed and keeps the rest. */
export function toLinkUpdate(body: UpdateLinkDto): LinkUpdate {
  return {
    longUrl: body.long_url ?? body.url ?? undefined,
    alias: body.alias ? cutAlias(body.alias) : undefined,
    password: body.password,
    maxClicks: body.max_clicks === 0 ? null : body.max_clicks,
    expireAfter: body.expire_after,
    blockBots: body.block_bots ?? undefined,
    privateStats: body.private_stats ?? undefined,
    status: body.status ?? undefined,
  };
}
