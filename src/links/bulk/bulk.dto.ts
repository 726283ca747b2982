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
import { beyondBounds, BODY_BOUNDS, MANY_VALUES } from '../../common/http/json-bodies';
import { parseId } from '../../common/http/parse-id.pipe';
import { CheckedNames, IsNumberOrText } from '../../common/http/validators';
import { FUTURE_TIME } from '../../common/openapi/properties';
import { MAX_TAGS_OF_LINK } from '../../stores/tags/tag';
import { LINK_STATUSES, type LinkStatus } from '../../stores/links/link';
import { CreateLinkDto, UpdateLinkDto } from '../making/link.dto';
import type { LinkFilter } from '../link-index/link-list';
import type { FilterPlaces } from '../listing/search-words';
import { readFilter } from '../listing/list-filter';
import { TagsField, UrlField } from '../making/link-input.decorators';

export const MAX_BULK_ITEMS = 100;
/** Limited because hashing passwords is slow. */
const MAX_PASSWORDS = 10;

const IDS_PROPERTY: ApiPropertyOptions = {
  type: [String],
  minItems: 1,
  maxItems: MAX_BULK_ITEMS,
  description: 'Link IDs; duplicates count once',
  example: ['665f1c0e8b3a4d0012ab34cd'],
};

export class BulkIdsDto {
  @ApiProperty(IDS_PROPERTY)
  @IsString({ each: true })
  @ArrayMaxSize(MAX_BULK_ITEMS)
  @ArrayMinSize(1)
  @IsArray()
  ids!: string[];
}

@CheckedNames()
export class BulkStatusDto extends BulkIdsDto {
  @ApiProperty({ enum: LINK_STATUSES })
  @IsIn(LINK_STATUSES)
  status!: LinkStatus;
}

@CheckedNames()
export class BulkExpiryDto extends BulkIdsDto {
  @ApiProperty({
    oneOf: [{ type: 'integer' }, { type: 'string' }],
    nullable: true,
    description: `${FUTURE_TIME}; null removes the expiry`,
    example: '2030-06-01T00:00:00Z',
  })
  @ValidateIf((body: { expire_after?: unknown }) => body.expire_after !== null)
  @IsNumberOrText()
  expire_after!: number | string | null;
}

@CheckedNames()
export class BulkDomainDto extends BulkIdsDto {
  @ApiProperty({
    type: String,
    nullable: true,
    description: "One of your active custom domains; null means this service's own host",
    example: 'links.example.org',
  })
  @ValidateIf((body: { domain?: unknown }) => body.domain !== null)
  @IsString()
  domain!: string | null;
}

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
    description:
      'Selects links instead of `ids`, with the same keys and bounds as `filter` in GET /api/v1/urls',
    example: { status: 'INACTIVE' },
  })
  @IsOptional()
  @IsObject()
  filter?: object | null;

  @ApiPropertyOptional({
    type: 'integer',
    minimum: 0,
    nullable: true,
    description:
      'Required with `filter`: the expected number of matching links. If the actual number differs, the response is 409',
  })
  @IsOptional()
  @Min(0)
  @IsInt()
  expected?: number | null;
}

export type Selection = { readonly ids: readonly string[] } | FilterSelection;

export interface FilterSelection {
  readonly filter: LinkFilter;
  readonly expected: number;
}

/** Removes duplicate ids. Throws 422 unless the body has ids or a filter, 400 for an invalid id. */
export function toSelection(
  { ids, filter, expected }: BulkDeleteDto,
  places: FilterPlaces,
): Selection {
  if (ids && !filter) {
    return { ids: [...new Set(ids.map((text, i) => parseId(text, `ids.${i}`)))] };
  }
  if (ids || !filter) throw UnprocessableError.forField('ids', 'send either ids or filter');
  if (expected == null) throw UnprocessableError.forField('expected', 'is required with filter');
  return { filter: readFilter(JSON.stringify(filter), places), expected };
}

const OF_ONE_LINK = ['alias', 'domain', 'password', 'utm'] as const;

@CheckedNames()
export class BulkSetDto extends OmitType(UpdateLinkDto, [...OF_ONE_LINK, 'long_url'] as const) {
  @UrlField({ optional: true }) long_url?: string | null;
}

@CheckedNames()
export class BulkUpdateDto extends BulkDeleteDto {
  @ApiPropertyOptional({
    type: BulkSetDto,
    nullable: true,
    description:
      'New values for all selected links; `null` has the same effect as in PATCH /api/v1/urls/{url_id}',
  })
  @IsOptional()
  @IsObject()
  set?: object | null;

  @TagsField({
    optional: true,
    description: `The names of up to ${MAX_TAGS_OF_LINK} tags to add; not allowed with \`set.tags\``,
  })
  add_tags?: string[] | null;

  @TagsField({
    optional: true,
    description: `The names of up to ${MAX_TAGS_OF_LINK} tags to remove before others are added; not allowed with \`set.tags\``,
  })
  remove_tags?: string[] | null;
}

export function refuseOwnFields(set: object, movesTags: boolean): void {
  const refused = [...OF_ONE_LINK, ...(movesTags ? ['tags'] : [])];
  const given = refused.filter((name) => Object.hasOwn(set, name));
  if (given.length === 0) return;
  throw new UnprocessableError(
    given.map((field) => ({ field, error: 'cannot be changed here for many links' })),
  );
}

@CheckedNames()
export class BulkCreateDto {
  @ApiProperty({
    type: [CreateLinkDto],
    minItems: 1,
    maxItems: MAX_BULK_ITEMS,
    description: `Up to ${MAX_PASSWORDS} different passwords, ${MANY_VALUES} JSON values in the body, and ${BODY_BOUNDS.values} in each item`,
  })
  @IsObject({ each: true })
  @ArrayMaxSize(MAX_BULK_ITEMS)
  @ArrayMinSize(1)
  @IsArray()
  links!: object[];
}

/** Throws 422 for an item that exceeds the body limits for the single-link route. */
export function refuseLargeItem(item: object): void {
  const problem = beyondBounds(Buffer.from(JSON.stringify(item)));
  if (problem !== null) throw UnprocessableError.forField('input', problem);
}

export function refuseManyPasswords(items: readonly object[]): void {
  const passwords = items.map((item) => ('password' in item ? item.password : null));
  const distinct = new Set(passwords.filter((password) => typeof password === 'string'));
  if (distinct.size <= MAX_PASSWORDS) return;
  const error = `at most ${MAX_PASSWORDS} different passwords are allowed at once`;
  throw UnprocessableError.forField('links', error);
}
