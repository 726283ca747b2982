import { ApiProperty, ApiPropertyOptional, OmitType, PartialType } from '@nestjs/swagger';
import { IsOptional, IsString, Length, MaxLength } from 'class-validator';
import { CheckedNames } from '../../common/http/validators';
import { type AliasSource, EMOJI_ALIASES, storedAlias, V1_ALIASES } from './alias';
import { MAX_IMPORTED_URL } from './destination';
import type { CreateLink, LinkStatus, LinkUpdate } from '../../stores/links/link';
import { type FieldInputs, type LinkField, mapFields } from '../../stores/links/link-fields';
import { distinctTagNames } from '../../stores/tags/tag';
import {
  type RuleDto,
  RulesField,
  toNewVariants,
  type VariantDto,
  VariantsField,
} from '../../destinations/destinations.dto';
import type { RequestedDestinations } from '../../destinations/destination-rules';
import { UtmDto, UtmValuesField } from '../utm/utm.dto';
import {
  UrlField,
  AliasField,
  ChangedAliasField,
  MAX_DOMAIN_LENGTH,
  type AliasType,
  AliasTypeField,
  DomainField,
  LinkPasswordField,
  MaxClicksField,
  LinkExpiryField,
  StartField,
  FlagField,
  StatusField,
  TitleField,
  NoteField,
  TagsField,
} from './link-input.decorators';
import { GeoRulesField, toGeoRules } from '../../destinations/geo-rules.dto';

@CheckedNames()
export class CreateLinkDto implements FieldInputs {
  @UrlField({
    orElse: 'url',
    description: 'The destination, an http or https URL. Required unless `url` is set',
  })
  long_url?: string | null;

  @UrlField({
    optional: true,
    deprecated: true,
    description: 'Alias of `long_url`, which takes precedence',
  })
  url?: string | null;

  @AliasField({ optional: true }) alias?: string | null;
  @DomainField() domain?: string | null;
  @AliasTypeField({ optional: true }) alias_type?: AliasType | null;
  @LinkPasswordField({ optional: true }) password?: string | null;
  @MaxClicksField({ optional: true }) max_clicks?: number | null;
  @LinkExpiryField({ optional: true }) expire_after?: number | string | null;
  @StartField({ optional: true }) starts_at?: number | string | null;

  @UrlField(
    {
      optional: true,
      description:
        'Where the link redirects before its start time. Must be an acceptable destination. Without it, the link returns 404; null removes it',
    },
    'https://example.com/spring/soon',
  )
  pre_start_url?: string | null;

  @UrlField(
    {
      optional: true,
      description:
        'Where the link redirects after it has expired or reached its click limit. Must be an acceptable destination. Without it, the link returns 410; null removes it',
    },
    'https://example.com/spring/over',
  )
  expired_redirect_url?: string | null;

  @FlagField({
    optional: true,
    description:
      "Whether the short URL's query parameters are added to the destination, except those that it already has. Default for a new link: false",
  })
  forward_query?: boolean | null;

  @RulesField() rules?: RuleDto[] | null;
  @GeoRulesField() geo_rules?: Record<string, string> | null;
  @VariantsField() ab_variants?: VariantDto[] | null;

  @FlagField({
    optional: true,
    description: 'Whether known bots are blocked. Default for a new link: false',
  })
  block_bots?: boolean | null;

  @FlagField({
    optional: true,
    description:
      'Whether previews and bots count toward `max_clicks`. Default for a new link: true. `false` requires a credential',
  })
  count_bots?: boolean | null;

  @FlagField({
    optional: true,
    description:
      'Whether only the owner can see the statistics. Default for a new link that belongs to an account: true. `true` requires a credential',
  })
  private_stats?: boolean | null;

  @TitleField({ optional: true }) title?: string | null;
  @NoteField({ optional: true }) note?: string | null;
  @TagsField({ optional: true }) tags?: string[] | null;
  @UtmValuesField() utm?: UtmDto | null;

  @FlagField({
    optional: true,
    description:
      'Whether to return your newest active link with this destination and these settings, if there is one, instead of creating a link. Links with a password are never reused',
  })
  reuse?: boolean | null;
}

const DIFFERENT = [
  'long_url',
  'alias',
  'alias_type',
  'password',
  'max_clicks',
  'expire_after',
  'title',
  'note',
  'tags',
  'reuse',
] as const;

@CheckedNames()
export class UpdateLinkDto extends PartialType(OmitType(CreateLinkDto, DIFFERENT)) {
  @UrlField({ optional: true }, undefined, MAX_IMPORTED_URL) long_url?: string | null;
  @ChangedAliasField() alias?: string | null;
  @LinkPasswordField({ optional: true, removable: true }) password?: string | null;
  @MaxClicksField({ optional: true, removable: true }) max_clicks?: number | null;
  @LinkExpiryField({ optional: true, removable: true }) expire_after?: number | string | null;
  @TitleField({ optional: true, removable: true }) title?: string | null;
  @NoteField({ optional: true, removable: true }) note?: string | null;
  @TagsField({ optional: true, removable: true }) tags?: string[] | null;
  @StatusField({ optional: true }) status?: LinkStatus | null;
}

@CheckedNames()
export class UpdateStatusDto {
  @StatusField() status!: LinkStatus;
}

export class CheckAliasDto {
  @ApiProperty({
    minLength: 1,
    maxLength: 64,
    description: 'The alias to check',
    example: 'spring-sale',
  })
  @Length(1, 64)
  @IsString()
  alias!: string;

  @ApiPropertyOptional({
    maxLength: MAX_DOMAIN_LENGTH,
    description: "One of your active custom domains. Default: this service's own host",
    example: 'links.example.com',
  })
  @IsOptional()
  @MaxLength(MAX_DOMAIN_LENGTH)
  @IsString()
  domain?: string;
}

/** @param ownerId null = anonymous */
export function toCreateLink(body: CreateLinkDto, ownerId: string | null): CreateLink {
  return {
    ...(mapFields(({ key, name, initial }) => [key, body[name] ?? initial]) as Pick<
      CreateLink,
      LinkField
    >),
    longUrl: body.long_url ?? body.url ?? '',
    alias: body.alias ? storedAlias(body.alias) : null,
    domain: body.domain,
    password: body.password ?? null,
    destinations: {
      rules: body.rules ?? [],
      geoRules: toGeoRules(body.geo_rules ?? null),
      abVariants: toNewVariants(body.ab_variants ?? null),
    },
    privateStats: body.private_stats ?? ownerId !== null,
    tagNames: distinctTagNames(body.tags ?? []),
    utm: body.utm,
    reuse: body.reuse ?? false,
    ownerId,
    generation: 'v2',
  };
}

export function aliasSource({ alias_type }: CreateLinkDto): AliasSource {
  return alias_type === 'emoji' ? EMOJI_ALIASES : V1_ALIASES;
}

/** Null removes optional values and is ignored for required ones (docs/contract.md#6.3). */
export function toLinkUpdate(body: UpdateLinkDto): LinkUpdate {
  return {
    ...(mapFields(({ key, name, kind }) => [
      key,
      kind === 'flag' ? (body[name] ?? undefined) : body[name],
    ]) as Pick<LinkUpdate, LinkField>),
    longUrl: body.long_url ?? body.url ?? undefined,
    alias: body.alias || undefined,
    domain: body.domain,
    password: body.password,
    maxClicks: body.max_clicks === 0 ? null : body.max_clicks,
    destinations: toDestinationsUpdate(body),
    tagNames: body.tags === undefined ? undefined : distinctTagNames(body.tags ?? []),
    utm: body.utm,
    status: body.status ?? undefined,
  };
}

/** Undefined if the body changes no destination. */
function toDestinationsUpdate({
  rules,
  geo_rules,
  ab_variants,
}: UpdateLinkDto): Partial<RequestedDestinations> | undefined {
  const named = {
    ...(rules === undefined ? {} : { rules: rules ?? [] }),
    ...(geo_rules === undefined ? {} : { geoRules: toGeoRules(geo_rules) }),
    ...(ab_variants === undefined ? {} : { abVariants: toNewVariants(ab_variants) }),
  };
  return Object.keys(named).length === 0 ? undefined : named;
}
