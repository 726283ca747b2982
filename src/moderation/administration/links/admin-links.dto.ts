import { ApiPropertyOptional, IntersectionType } from '@nestjs/swagger';
import { IsIn, IsOptional, IsString, MaxLength } from 'class-validator';
import { MAX_HOST_NAME } from '../../../common/host';
import { CheckedNames, PageField, PageSizeField } from '../../../common/http/validators';
import { BulkIdsDto } from '../../../links/bulk/bulk.dto';
import { SEARCHED_STATUSES, type SearchedStatus } from '../../../stores/links/link-search';
import { OptionalReasonDto, ReasonDto } from '../action/reason.dto';

const MAX_LINK_SEARCH = 500;

export class SearchLinksDto {
  @ApiPropertyOptional({
    maxLength: MAX_LINK_SEARCH,
    description: 'Part of the alias or destination, in any case',
    example: 'sale',
  })
  @MaxLength(MAX_LINK_SEARCH)
  @IsString()
  @IsOptional()
  search?: string;

  @ApiPropertyOptional({
    maxLength: MAX_HOST_NAME,
    description: 'Only links to this host or its subdomains',
    example: 'example.com',
  })
  @MaxLength(MAX_HOST_NAME)
  @IsString()
  @IsOptional()
  host?: string;

  @ApiPropertyOptional({
    maxLength: MAX_LINK_SEARCH,
    description: "An account's ID or email address",
  })
  @MaxLength(MAX_LINK_SEARCH)
  @IsString()
  @IsOptional()
  owner?: string;

  @ApiPropertyOptional({ enum: SEARCHED_STATUSES, description: 'EXPIRED links are also INACTIVE' })
  @IsIn(SEARCHED_STATUSES)
  @IsOptional()
  status?: SearchedStatus;

  @PageField() page: number = 1;
  @PageSizeField(25) pageSize: number = 25;
}

/** Reason in the query, for clients that send no body with DELETE. */
export class RemovalReasonDto extends OptionalReasonDto {}

@CheckedNames()
export class BulkBlockDto extends IntersectionType(BulkIdsDto, ReasonDto) {}

@CheckedNames()
export class BulkActDto extends IntersectionType(BulkIdsDto, OptionalReasonDto) {}
