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

- \`status\`: ${FILTER_STATUSES.join(', ')}. SCHEDULED and EXPIRED are part of INACTIVE
- \`createdAfter\`, \`createdBefore\`: times, inclusive
- ${[...PRESENCE_NAMES, 'untagged'].map((name) => `\`${name}\``).join(', ')}: true or false
- \`tags\`: at most ${MAX_TAGS_OF_LINK} names of tags; the link has at least one of them, or all of them with \`tagsMode\` \`all\`
- \`excludeTags\`: at most ${MAX_TAGS_OF_LINK} names of tags; the link has none of them
- \`source\`: id of the import that created it, or the import's source; at most ${MAX_SOURCE_LENGTH} characters
- \`domain\`: name of a custom domain, or \`default\` for this service's own host
- \`search\`: at most ${MAX_SEARCH_LENGTH} characters and ${MAX_WORDS} words. Each word is a whole short URL, or part of alias, destination, title, a tag's name or the first 200 characters of the note`;

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
  @PageField()
  page: number = 1;

  @PageSizeField(20)
  pageSize: number = 20;

  @ApiPropertyOptional({ enum: SORT_FIELDS, default: 'created_at' })
  @IsIn(SORT_FIELDS)
  sortBy: SortField = 'created_at';

  @ApiPropertyOptional({
    enum: [...ASCENDING, ...DESCENDING],
    default: 'descending',
    description: 'The response has `ascending` or `descending` for all synonyms',
  })
  @IsIn([...ASCENDING, ...DESCENDING])
  sortOrder: string = 'descending';

  @ApiPropertyOptional({
    type: Boolean,
    default: false,
    description:
      'Whether the response has `total_clicks`: the clicks of all matching links, on all pages',
  })
  @IsFlag()
  @IsBoolean()
  sums: boolean = false;

  @ApiPropertyOptional({
    maxLength: MAX_HOST_NAME,
    description: 'Like `domain` in `filter`, over which it takes precedence',
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
    description: 'Another name for `filter`, which takes precedence',
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

  @BomField()
  bom?: boolean;

  @ApiPropertyOptional(FILTER)
  @IsOptional()
  @MaxLength(MAX_FILTER_LENGTH)
  @IsString()
  filter?: string;
}

export function isDescending(sortOrder: string): boolean {
  return DESCENDING.includes(sortOrder);
}
