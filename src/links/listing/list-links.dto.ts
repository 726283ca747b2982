import { MAX_HOST_NAME } from '../../common/host';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsBoolean, IsIn, IsOptional, IsString, MaxLength } from 'class-validator';
import {
  BomField,
  IsFlag,
  MisplacedNames,
  PageField,
  PageSizeField,
} from '../../common/http/validators';
import { MAX_TAGS_OF_LINK } from '../../stores/tags/tag';
import { FILTER_STATUSES, SORT_FIELDS, type SortField } from '../link-index/link-list';
import { MAX_SEARCH_LENGTH, MAX_SOURCE_LENGTH, PRESENCE_NAMES } from './list-filter';
import { MAX_WORDS } from './search-words';

export const ASCENDING = ['ascending', 'asc', '1'];
export const DESCENDING = ['descending', 'desc', '-1'];
const MAX_FILTER_LENGTH = 10_000;

const FILTER_DESCRIPTION = `JSON object; a link must match every key:

- \`status\`: ${FILTER_STATUSES.join(', ')}. INACTIVE includes SCHEDULED and EXPIRED
- \`createdAfter\`, \`createdBefore\`: times, inclusive
- ${[...PRESENCE_NAMES, 'untagged'].map((name) => `\`${name}\``).join(', ')}: true or false
- \`tags\`: up to ${MAX_TAGS_OF_LINK} tag names; the link must have at least one of them, or all of them if \`tagsMode\` is \`all\`
- \`excludeTags\`: up to ${MAX_TAGS_OF_LINK} tag names; the link must have none of them
- \`source\`: the ID of the import that created the link, or the import's source; up to ${MAX_SOURCE_LENGTH} characters
- \`domain\`: the name of a custom domain, or \`default\` for this service's own host
- \`search\`: up to ${MAX_SEARCH_LENGTH} characters and ${MAX_WORDS} words. Each word must be a whole short URL, or part of the alias, destination, title, a tag name, or the note's first 200 characters`;

const FILTER = {
  maxLength: MAX_FILTER_LENGTH,
  description: FILTER_DESCRIPTION,
  example: '{"status":"ACTIVE","search":"sale"}',
};

/** Rejected as query parameters, because ignoring them would silently return every link. */
const KEYS_OF_FILTER = {
  status: 'filter={"status":"ACTIVE"}',
  createdAfter: 'filter={"createdAfter":"2030-01-01"}',
  createdBefore: 'filter={"createdBefore":"2030-01-01"}',
  ...Object.fromEntries(PRESENCE_NAMES.map((name) => [name, `filter={"${name}":true}`])),
  tags: 'filter={"tags":["name"]}',
  tagsMode: 'filter={"tags":["name"],"tagsMode":"all"}',
  excludeTags: 'filter={"excludeTags":["name"]}',
  untagged: 'filter={"untagged":true}',
  source: 'filter={"source":"id"}',
  search: 'filter={"search":"text"}',
  q: 'filter={"search":"text"}',
};

@MisplacedNames(KEYS_OF_FILTER)
export class ListLinksDto {
  @PageField() page: number = 1;
  @PageSizeField(20) pageSize: number = 20;

  @ApiPropertyOptional({
    enum: SORT_FIELDS,
    default: 'created_at',
    description: '`total_clicks` sorts by `total_clicks` + `imported_clicks`',
  })
  @IsIn(SORT_FIELDS)
  sortBy: SortField = 'created_at';

  @ApiPropertyOptional({
    enum: [...ASCENDING, ...DESCENDING],
    default: 'descending',
    description: 'The response contains `ascending` or `descending` for all synonyms',
  })
  @IsIn([...ASCENDING, ...DESCENDING])
  sortOrder: string = 'descending';

  @ApiPropertyOptional({
    type: Boolean,
    default: false,
    description:
      'Whether the response contains `total_clicks` and `imported_clicks`, the clicks on all matching links on all pages',
  })
  @IsFlag()
  @IsBoolean()
  sums: boolean = false;

  @ApiPropertyOptional({
    maxLength: MAX_HOST_NAME,
    description: 'The same as `domain` in `filter`, but takes precedence over it',
    example: 'links.example.com',
  })
  @IsOptional()
  @MaxLength(MAX_HOST_NAME)
  @IsString()
  domain?: string;

  @ApiPropertyOptional(FILTER)
  @IsOptional()
  @MaxLength(MAX_FILTER_LENGTH)
  @IsString()
  filter?: string;

  @ApiPropertyOptional({
    maxLength: MAX_FILTER_LENGTH,
    description: 'Alias of `filter`, which takes precedence',
    deprecated: true,
  })
  @IsOptional()
  @MaxLength(MAX_FILTER_LENGTH)
  @IsString()
  filterBy?: string;
}

export const LINK_FILE_FORMATS = ['csv', 'json', 'xlsx'] as const;
export type LinkFileFormat = (typeof LINK_FILE_FORMATS)[number];

@MisplacedNames(KEYS_OF_FILTER)
export class ExportLinksDto {
  @ApiProperty({ enum: LINK_FILE_FORMATS, description: 'The file format' })
  @IsIn(LINK_FILE_FORMATS)
  format!: LinkFileFormat;

  @BomField() bom?: boolean;

  @ApiPropertyOptional(FILTER)
  @IsOptional()
  @MaxLength(MAX_FILTER_LENGTH)
  @IsString()
  filter?: string;
}

export function isDescending(sortOrder: string): boolean {
  return DESCENDING.includes(sortOrder);
}
