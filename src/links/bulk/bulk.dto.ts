import {
  ApiProperty,
  ApiPropertyOptional,
  type ApiPropertyOptions,
  OmitType,
} from '@nestjs/swagger';
import {
  ArrayMaxSize,
  ArrayMinSize,
  IsArray,
  IsIn,
  IsInt,
  IsObject,
  IsOptional,
  IsString,
  Min,
  ValidateIf,
} from 'class-validator';
import { UnprocessableError } from '../../common/errors';
import { beyondBounds } from '../../common/http/json-bodies';
import { parseId } from '../../common/http/parse-id.pipe';
import { CheckedNames, IsNumberOrText } from '../../common/http/validators';
import { LINK_STATUSES, type LinkStatus } from '../../stores/links/link';
import { CreateLinkDto, TagsField, UpdateLinkDto, UrlField } from '../link.dto';
import type { LinkFilter } from '../link-index/link-list';
import type { FilterPlaces } from '../listing/search-words';
import { readFilter } from '../listing/list-filter';

/** Items of a request. */
export const MAX_BULK_ITEMS = 100;
/** Passwords are slow to hash. */
const MAX_PASSWORDS = 10;

const IDS_PROPERTY: ApiPropertyOptions = {
  type: [String],
  minItems: 1,
  maxItems: MAX_BULK_ITEMS,
  description: 'Ids of links; one that comes again counts once',
  example: ['665f1c0e8b3a4d0012ab34cd'],
};

/** Links by their ids. */
export class BulkIdsDto {
  @ApiProperty(IDS_PROPERTY)
  @IsString({ each: true })
  @ArrayMaxSize(MAX_BULK_ITEMS)
  @ArrayMinSize(1)
  @IsArray()
  ids!: string[];
}

/** Body of POST /api/v1/urls/bulk/status (docs/contract.md#20.1). */
@CheckedNames()
export class BulkStatusDto extends BulkIdsDto {
  @ApiProperty({ enum: LINK_STATUSES })
  @IsIn(LINK_STATUSES)
  status!: LinkStatus;
}

/** Body of POST /api/v1/urls/bulk/expiry (docs/contract.md#20.1). */
@CheckedNames()
export class BulkExpiryDto extends BulkIdsDto {
  @ApiProperty({
    oneOf: [{ type: 'integer' }, { type: 'string' }],
    nullable: true,
    description: 'Unix seconds or ISO 8601, in the future; null takes it off',
    example: '2030-06-01T00:00:00Z',
  })
  @ValidateIf((body: { expire_after?: unknown }) => body.expire_after !== null)
  @IsNumberOrText()
  expire_after!: number | string | null;
}

/** Body of POST /api/v1/urls/bulk/domain (docs/contract.md#25.1). */
@CheckedNames()
export class BulkDomainDto extends BulkIdsDto {
  @ApiProperty({
    type: String,
    nullable: true,
    description: "An active custom domain of the account; null = this service's own host",
    example: 'links.example.org',
  })
  @ValidateIf((body: { domain?: unknown }) => body.domain !== null)
  @IsString()
  domain!: string | null;
}

/** Body of POST /api/v1/urls/bulk/delete (docs/contract.md#20.1). */
@CheckedNames()
export class BulkDeleteDto {
  @ApiPropertyOptional(IDS_PROPERTY)
  @IsOptional()
  @IsString({ each: true })
  @ArrayMaxSize(MAX_BULK_ITEMS)
  @ArrayMinSize(1)
  @IsArray()
  ids?: string[] | null;

  @ApiPropertyOptional({
    type: 'object',
    additionalProperties: true,
    nullable: true,
    description: 'In place of `ids`: all links that a list with this filter would have',
    example: { status: 'INACTIVE' },
  })
  @IsOptional()
  @IsObject()
  filter?: object | null;

  @ApiPropertyOptional({
    type: 'integer',
    minimum: 0,
    nullable: true,
    description: 'Beside `filter`: how many links you have seen; another number now is 409',
  })
  @IsOptional()
  @Min(0)
  @IsInt()
  expected?: number | null;
}

/** Which links a request is about. */
export type Selection = { readonly ids: readonly string[] } | FilterSelection;

export interface FilterSelection {
  readonly filter: LinkFilter;
  readonly expected: number;
}

/**
 * Each id once, at its first place, or filter and expected; 422 unless the body has one of the two,
 * 400 for the first id that is none.
 *
 * @param places as in `readFilter`
 */
export function toSelection(
  { ids, filter, expected }: BulkDeleteDto,
  places: FilterPlaces,
): Selection {
  if (ids && !filter) {
    return { ids: [...new Set(ids.map((text, i) => parseId(text, `ids.${i}`)))] };
  }
  if (ids || !filter) throw UnprocessableError.forField('ids', 'ids or filter is needed, not both');
  if (expected == null) throw UnprocessableError.forField('expected', 'is required beside filter');
  return { filter: readFilter(JSON.stringify(filter), places), expected };
}

/** Fields that links do not share. */
const OF_ONE_LINK = ['alias', 'domain', 'password', 'utm'] as const;

/** `set` of POST /api/v1/urls/bulk/update. */
@CheckedNames()
export class BulkSetDto extends OmitType(UpdateLinkDto, [...OF_ONE_LINK, 'long_url'] as const) {
  @UrlField({ optional: true })
  long_url?: string | null;
}

/** Body of POST /api/v1/urls/bulk/update (docs/contract.md#20.1). */
@CheckedNames()
export class BulkUpdateDto extends BulkDeleteDto {
  @ApiPropertyOptional({
    type: BulkSetDto,
    nullable: true,
    description: 'What all of them get; null as when one link is changed',
  })
  @IsOptional()
  @IsObject()
  set?: object | null;

  @TagsField({ optional: true, description: 'Names of tags that they get beside those they have' })
  add_tags?: string[] | null;

  @TagsField({
    optional: true,
    description: 'Names of tags that they lose, before others are added',
  })
  remove_tags?: string[] | null;
}

/** Throws UnprocessableError for fields of `set` that links do not share, or that stand beside it. */
export function refuseOwnFields(set: object, movesTags: boolean): void {
  const refused = [...OF_ONE_LINK, ...(movesTags ? ['tags'] : [])];
  const given = refused.filter((name) => Object.hasOwn(set, name));
  if (given.length === 0) return;
  throw new UnprocessableError(
    given.map((field) => ({ field, error: 'is not set for many links, or not in this way' })),
  );
}

/** Body of POST /api/v1/urls/bulk/create (docs/contract.md#20.1); its items are judged one by one. */
@CheckedNames()
export class BulkCreateDto {
  @ApiProperty({ type: [CreateLinkDto], minItems: 1, maxItems: MAX_BULK_ITEMS })
  @IsObject({ each: true })
  @ArrayMaxSize(MAX_BULK_ITEMS)
  @ArrayMinSize(1)
  @IsArray()
  links!: object[];
}

/** 422 for an item that has more values, or deeper ones, than the body of the single route may have. */
export function refuseLargeItem(item: object): void {
  const problem = beyondBounds(Buffer.from(JSON.stringify(item)));
  if (problem !== null) throw UnprocessableError.forField('input', problem);
}

/** Throws UnprocessableError for more passwords than are hashed for one request. */
export function refuseManyPasswords(items: readonly object[]): void {
  const passwords = items.map((item) => ('password' in item ? item.password : null));
  const distinct = new Set(passwords.filter((password) => typeof password === 'string'));
  if (distinct.size <= MAX_PASSWORDS) return;
  const error = `at most ${MAX_PASSWORDS} different passwords are taken at once`;
  throw UnprocessableError.forField('links', error);
}
