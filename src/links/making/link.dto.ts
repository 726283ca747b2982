import { applyDecorators } from '@nestjs/common';
import {
  ApiProperty,
  ApiPropertyOptional,
  type ApiPropertyOptions,
  OmitType,
  PartialType,
} from '@nestjs/swagger';
import {
  IsArray,
  IsBoolean,
  IsIn,
  IsInt,
  IsOptional,
  IsString,
  Length,
  Max,
  MaxLength,
  Min,
  MinLength,
} from 'class-validator';
import { FUTURE_TIME } from '../../common/openapi/properties';
import {
  RequiredWithout,
  CheckedNames,
  IsNumberOrText,
  Members,
  SoundText,
  Trimmed,
} from '../../common/http/validators';
import { NormalizedPassword } from '../../common/password';
import { textProblem } from '../../common/plain-text';
import {
  type AliasSource,
  aliasShapeProblem,
  isImportedForm,
  EMOJI_ALIASES,
  storedAlias,
  V1_ALIASES,
} from './alias';
import { MAX_IMPORTED_URL, MAX_URL_LENGTH } from './destination';
import {
  type CreateLink,
  LINK_STATUSES,
  type LinkStatus,
  type LinkUpdate,
  MAX_NOTE,
  MAX_TITLE,
} from '../../stores/links/link';
import {
  distinctTagNames,
  MAX_TAG_NAME,
  MAX_TAGS_OF_LINK,
  tagKey,
  tagNameProblem,
} from '../../stores/tags/tag';
import { LINK_PASSWORD_LENGTH } from './link-password';
import {
  GeoRulesField,
  type RuleDto,
  RulesField,
  toGeoRules,
  toNewVariants,
  type VariantDto,
  VariantsField,
} from '../../destinations/destinations.dto';
import type { RequestedDestinations } from '../../destinations/destination-rules';
import { UtmDto, UtmValuesField } from '../utm/utm.dto';

// Each decorator both validates and describes a field (docs/contract.md#5.1; null: 6.3).

interface FieldOptions {
  readonly optional?: boolean;
  /** Required unless this other field is present. */
  readonly orElse?: string;
  readonly description?: string;
  readonly deprecated?: boolean;
}

/** Null removes the value. */
interface RemovableOptions extends FieldOptions {
  readonly removable?: boolean;
}

export function UrlField(
  options: FieldOptions = {},
  example = 'https://example.com/spring/sale',
  maxLength = MAX_URL_LENGTH,
): PropertyDecorator {
  const described = { type: String, maxLength, minLength: 1, example };
  return describeField(described, options, IsString(), MinLength(1), MaxLength(maxLength));
}

/** Validates the cut value. */
function AliasField(options: FieldOptions = {}): PropertyDecorator {
  const description =
    '3 to 16 letters, digits, `-` and `_`, or 1 to 15 single emoji. Longer values are first cut to 16 characters. A reserved word (contract 5.3) is 400. Generated when absent';
  const described = { type: String, minLength: 1, description, example: 'spring-sale' };
  return describeField(described, options, IsString(), SoundText(aliasShapeProblem));
}

/** Accepts imported aliases, since the link may already have it. */
function ChangedAliasField(): PropertyDecorator {
  const description =
    "As in creation; the link's current alias always passes, also an imported one of another form";
  const described = { type: String, minLength: 1, description, example: 'spring-sale' };
  const problem = (text: string): string | null =>
    isImportedForm(text) ? null : aliasShapeProblem(text);
  return describeField(described, { optional: true }, IsString(), SoundText(problem));
}

export const MAX_DOMAIN_LENGTH = 253;
const ALIAS_TYPES = ['alphanumeric', 'emoji'] as const;
type AliasType = (typeof ALIAS_TYPES)[number];

function AliasTypeField(options: FieldOptions = {}): PropertyDecorator {
  const description = 'What a generated alias consists of; ignored beside `alias`';
  return describeField({ enum: ALIAS_TYPES, description }, options, IsIn(ALIAS_TYPES));
}

/** Absent: the account's default domain; null: BASE_URL's host. */
function DomainField(): PropertyDecorator {
  const description =
    "An active custom domain of the account; null = this service's own host. Absent: a new link gets the account's default domain, an existing link keeps its domain";
  const described = {
    type: String,
    maxLength: MAX_DOMAIN_LENGTH,
    description,
    example: 'links.example.com',
  };
  return describeField(described, { optional: true }, IsString(), MaxLength(MAX_DOMAIN_LENGTH));
}

function LinkPasswordField(options: RemovableOptions = {}): PropertyDecorator {
  const { min, max } = LINK_PASSWORD_LENGTH;
  const rule = 'A letter, a digit and one of `@` and `.`, and no two of `@` and `.` side by side';
  const described = {
    type: String,
    minLength: min,
    maxLength: max,
    description: rule,
    example: 'tulips@2030',
  };
  const description = `${rule}; null removes it`;
  const rules = [IsString(), Length(min, max), NormalizedPassword()];
  return describeField(removable(described, description, options), options, ...rules);
}

/** At most the largest safe integer; if removable, 0 removes the limit too. */
function MaxClicksField(options: RemovableOptions = {}): PropertyDecorator {
  const minimum = options.removable ? 0 : 1;
  const description = 'Closes the link after this number of clicks';
  const maximum = Number.MAX_SAFE_INTEGER;
  const described = { type: 'integer', minimum, maximum, description, example: 1000 } as const;
  const removing = `${description}; null and 0 remove the limit`;
  const rules = [IsInt(), Min(minimum), Max(maximum)];
  return describeField(removable(described, removing, options), options, ...rules);
}

function LinkExpiryField(options: RemovableOptions = {}): PropertyDecorator {
  const description = FUTURE_TIME;
  const described: ApiPropertyOptions = {
    oneOf: [{ type: 'integer' }, { type: 'string' }],
    description,
    example: '2030-06-01T00:00:00Z',
  };
  const removing = `${description}; null removes it`;
  return describeField(removable(described, removing, options), options, IsNumberOrText());
}

function StartField(options: FieldOptions = {}): PropertyDecorator {
  const described: ApiPropertyOptions = {
    oneOf: [{ type: 'integer' }, { type: 'string' }],
    description: `Before this time visitors do not reach the destination. ${FUTURE_TIME}, before \`expire_after\`; null removes it`,
    example: '2030-05-01T00:00:00Z',
  };
  return describeField(described, options, IsNumberOrText());
}

function FlagField(options: FieldOptions = {}): PropertyDecorator {
  return describeField({ type: Boolean }, options, IsBoolean());
}

function StatusField(options: FieldOptions = {}): PropertyDecorator {
  return describeField({ enum: LINK_STATUSES }, options, IsIn(LINK_STATUSES));
}

function TitleField(options: RemovableOptions = {}): PropertyDecorator {
  const form = { max: MAX_TITLE };
  const description = 'One line, visible only to the account';
  const described = { type: String, minLength: 1, maxLength: MAX_TITLE, description };
  return textField({ ...described, example: 'Spring sale' }, options, form);
}

function NoteField(options: RemovableOptions = {}): PropertyDecorator {
  const form = { max: MAX_NOTE, lines: true };
  const description = 'A text, visible only to the account';
  const described = { type: String, minLength: 1, maxLength: MAX_NOTE, description };
  return textField({ ...described, example: 'Ordered by the Paris office' }, options, form);
}

function textField(
  described: ApiPropertyOptions & { description: string },
  options: RemovableOptions,
  form: Parameters<typeof textProblem>[1],
): PropertyDecorator {
  const removing = `${described.description}; null removes it`;
  const isSound = SoundText((text) => textProblem(text, form));
  return describeField(removable(described, removing, options), options, isSound, Trimmed());
}

export function TagsField(options: RemovableOptions = {}): PropertyDecorator {
  const description = `Names of tags, ignoring case; new ones are created. Each has 1 to ${MAX_TAG_NAME} characters, no comma and no control characters, and is not \`(none)\`. Names of one tag count once; a link has at most ${MAX_TAGS_OF_LINK}`;
  const described: ApiPropertyOptions = {
    type: 'array',
    items: { type: 'string', minLength: 1, pattern: '^[^,]+$' },
    description,
    example: ['Spring sale', 'Newsletter'],
  };
  const message = `must be the name of a tag: 1 to ${MAX_TAG_NAME} characters without a comma, no control characters, not \`(none)\`; and a link has at most ${MAX_TAGS_OF_LINK} tags`;
  const removing = `${description}. They replace the current tags; null and an empty list remove them`;
  const rules = [IsArray(), Members(faultyTags, message)];
  return describeField(removable(described, removing, options), options, ...rules);
}

/** Indexes of some invalid names, and of the first tag over the limit. */
function faultyTags(list: readonly unknown[]): number[] {
  const keys = new Set<string>();
  const faults: number[] = [];
  for (const [i, name] of list.entries()) {
    const key = typeof name === 'string' && tagNameProblem(name) === null ? tagKey(name) : null;
    const isOneMore = key !== null && !keys.has(key) && keys.size === MAX_TAGS_OF_LINK;
    if (key === null || isOneMore) faults.push(i);
    if (isOneMore || faults.length === MAX_TAGS_OF_LINK) break;
    if (key !== null) keys.add(key);
  }
  return faults;
}

function describeField(
  described: ApiPropertyOptions,
  { optional = false, orElse, description, deprecated }: FieldOptions,
  ...checks: PropertyDecorator[]
): PropertyDecorator {
  const property = {
    ...described,
    ...(description === undefined ? {} : { description }),
    ...(deprecated === undefined ? {} : { deprecated }),
    required: !optional && orElse === undefined,
    nullable: optional,
  } as ApiPropertyOptions;
  if (optional) checks.push(IsOptional());
  if (orElse !== undefined) checks.push(RequiredUnless(orElse));
  return applyDecorators(ApiProperty(property), ...checks);
}

function removable(
  described: ApiPropertyOptions,
  description: string,
  options: RemovableOptions,
): ApiPropertyOptions {
  if (options.removable !== true) return described;
  return { ...described, description };
}

function RequiredUnless(alternative: string): PropertyDecorator {
  return (target, property) => RequiredWithout(String(property), alternative)(target, property);
}

@CheckedNames()
export class CreateLinkDto {
  @UrlField({ orElse: 'url', description: 'The destination, an http or https address; or `url`' })
  long_url?: string | null;

  @UrlField({
    optional: true,
    deprecated: true,
    description: 'Another name of `long_url`, which takes precedence',
  })
  url?: string | null;

  @AliasField({ optional: true })
  alias?: string | null;

  @DomainField()
  domain?: string | null;

  @AliasTypeField({ optional: true })
  alias_type?: AliasType | null;

  @LinkPasswordField({ optional: true })
  password?: string | null;

  @MaxClicksField({ optional: true })
  max_clicks?: number | null;

  @LinkExpiryField({ optional: true })
  expire_after?: number | string | null;

  @StartField({ optional: true })
  starts_at?: number | string | null;

  @UrlField(
    {
      optional: true,
      description:
        'Redirect before the start, with the rules of a destination; without it the link is 404. null removes it',
    },
    'https://example.com/spring/soon',
  )
  pre_start_url?: string | null;

  @UrlField(
    {
      optional: true,
      description:
        'Redirect after the expiry or the click limit, with the rules of a destination; without it the link is 410. null removes it',
    },
    'https://example.com/spring/over',
  )
  expired_redirect_url?: string | null;

  @FlagField({
    optional: true,
    description:
      'Whether the query of the short URL is added to the destination, except names that it already has; default for a new link: false',
  })
  forward_query?: boolean | null;

  @RulesField()
  rules?: RuleDto[] | null;

  @GeoRulesField()
  geo_rules?: Record<string, string> | null;

  @VariantsField()
  ab_variants?: VariantDto[] | null;

  @FlagField({
    optional: true,
    description: 'Whether known bots are blocked; default for a new link: false',
  })
  block_bots?: boolean | null;

  @FlagField({
    optional: true,
    description:
      'Whether previews and bots count toward max_clicks; default for a new link: true. False needs a credential',
  })
  count_bots?: boolean | null;

  @FlagField({
    optional: true,
    description:
      'Whether only the owner sees the statistics; default for a new link of an account: true. True needs a credential',
  })
  private_stats?: boolean | null;

  @TitleField({ optional: true })
  title?: string | null;

  @NoteField({ optional: true })
  note?: string | null;

  @TagsField({ optional: true })
  tags?: string[] | null;

  @UtmValuesField()
  utm?: UtmDto | null;

  @FlagField({
    optional: true,
    description:
      'Whether to return the newest active link of the account with this destination and these settings, if any, instead of a new link; never a link with a password',
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
  @UrlField({ optional: true }, undefined, MAX_IMPORTED_URL)
  long_url?: string | null;

  @ChangedAliasField()
  alias?: string | null;

  @LinkPasswordField({ optional: true, removable: true })
  password?: string | null;

  @MaxClicksField({ optional: true, removable: true })
  max_clicks?: number | null;

  @LinkExpiryField({ optional: true, removable: true })
  expire_after?: number | string | null;

  @TitleField({ optional: true, removable: true })
  title?: string | null;

  @NoteField({ optional: true, removable: true })
  note?: string | null;

  @TagsField({ optional: true, removable: true })
  tags?: string[] | null;

  @StatusField({ optional: true })
  status?: LinkStatus | null;
}

@CheckedNames()
export class UpdateStatusDto {
  @StatusField()
  status!: LinkStatus;
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
    description: "An active custom domain of the account; this service's own host without one",
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
    longUrl: body.long_url ?? body.url ?? '',
    alias: body.alias ? storedAlias(body.alias) : null,
    domain: body.domain,
    password: body.password ?? null,
    maxClicks: body.max_clicks ?? null,
    expireAfter: body.expire_after ?? null,
    startsAt: body.starts_at ?? null,
    preStartUrl: body.pre_start_url ?? null,
    expiredRedirectUrl: body.expired_redirect_url ?? null,
    forwardQuery: body.forward_query ?? false,
    destinations: {
      rules: body.rules ?? [],
      geoRules: toGeoRules(body.geo_rules ?? null),
      abVariants: toNewVariants(body.ab_variants ?? null),
    },
    blockBots: body.block_bots ?? false,
    countBots: body.count_bots ?? true,
    privateStats: body.private_stats ?? ownerId !== null,
    title: body.title ?? null,
    note: body.note ?? null,
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

/** Null removes optional values and is ignored for others (docs/contract.md#6.3). */
export function toLinkUpdate(body: UpdateLinkDto): LinkUpdate {
  return {
    longUrl: body.long_url ?? body.url ?? undefined,
    alias: body.alias || undefined,
    domain: body.domain,
    password: body.password,
    maxClicks: body.max_clicks === 0 ? null : body.max_clicks,
    expireAfter: body.expire_after,
    startsAt: body.starts_at,
    preStartUrl: body.pre_start_url,
    expiredRedirectUrl: body.expired_redirect_url,
    forwardQuery: body.forward_query ?? undefined,
    destinations: toDestinationsUpdate(body),
    blockBots: body.block_bots ?? undefined,
    countBots: body.count_bots ?? undefined,
    privateStats: body.private_stats ?? undefined,
    title: body.title,
    note: body.note,
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
