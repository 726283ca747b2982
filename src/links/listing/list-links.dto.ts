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
import { SORT_FIELDS, type SortField } from '../link-index/link-list';

export const ASCENDING = ['ascending', 'asc', '1'];
export const DESCENDING = ['descending', 'desc', '-1'];
const MAX_FILTER_LENGTH = 10_000;

const FILTER = {
  maxLength: MAX_FILTER_LENGTH,
  description:
    "JSON object of `status` (ACTIVE, INACTIVE, or one of SCHEDULED and EXPIRED, which are INACTIVE), `createdAfter` and `createdBefore` (times), `passwordSet` and `maxClicksSet` (true or false), `tags` (names of tags, of which a link has one, or with `tagsMode` `all` every one), `excludeTags` (of which it has none), `untagged` (true or false), `source` (id or kind of the import that it came with), `domain` (name of a custom domain, or `default` for this service's own host) and `search` (words, each of which is a part of alias, destination, title, the name of a tag or the first 200 characters of the note, or a short URL)",
  example: '{"status":"ACTIVE","search":"sale"}',
};

/** Rejected outside `filter`, where they would silently return every link. */
const KEYS_OF_FILTER = {
  status: 'filter={"status":"ACTIVE"}',
  createdAfter: 'filter={"createdAfter":"2030-01-01"}',
  createdBefore: 'filter={"createdBefore":"2030-01-01"}',
  passwordSet: 'filter={"passwordSet":true}',
  maxClicksSet: 'filter={"maxClicksSet":true}',
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

  @ApiPropertyOptional({ enum: [...ASCENDING, ...DESCENDING], default: 'descending' })
  @IsIn([...ASCENDING, ...DESCENDING])
  sortOrder: string = 'descending';

  @ApiPropertyOptional({
    type: Boolean,
    default: false,
    description: 'Whether `total_clicks` is answered: the clicks of all links found, on all pages',
  })
  @IsFlag()
  @IsBoolean()
  sums: boolean = false;

  @ApiPropertyOptional({
    maxLength: MAX_HOST_NAME,
    description: 'As `domain` of filter, which it wins over',
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
    description: 'Another name of filter, which wins',
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
  @ApiProperty({ enum: LINK_FILE_FORMATS, description: 'The kind of file' })
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
