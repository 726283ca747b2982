import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsBoolean, IsIn, IsOptional, IsString, MaxLength } from 'class-validator';
import { MAX_HOST_NAME } from '../../../common/host';
import { CheckedNames, IsFlag, PageField, PageSizeField } from '../../../common/http/validators';
import { DOMAIN_STATUSES, type DomainStatus } from '../../../stores/domains/domain';
import { OptionalReasonDto } from '../action/reason.dto';

export class ListAllDomainsDto {
  @ApiPropertyOptional({ maxLength: MAX_HOST_NAME, description: 'Part of the name, in any case' })
  @MaxLength(MAX_HOST_NAME)
  @IsString()
  @IsOptional()
  search?: string;

  @ApiPropertyOptional({ enum: DOMAIN_STATUSES, description: 'Only domains in this status' })
  @IsIn(DOMAIN_STATUSES)
  @IsOptional()
  status?: DomainStatus;

  @ApiPropertyOptional({
    type: Boolean,
    description: '`true`: only shared domains; `false`: only other domains',
  })
  @IsFlag()
  @IsBoolean()
  @IsOptional()
  shared?: boolean;

  @PageField() page: number = 1;
  @PageSizeField(25) pageSize: number = 25;
}

@CheckedNames()
export class ShareDomainDto extends OptionalReasonDto {
  @ApiProperty({ type: Boolean, description: 'Whether all accounts may create links on it' })
  @IsBoolean()
  shared!: boolean;
}
