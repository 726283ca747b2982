import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsOptional, IsString, MaxLength, MinLength } from 'class-validator';
import { MAX_HOST_NAME } from '../../../common/host';
import { CheckedNames, PageField, PageSizeField } from '../../../common/http/validators';
import { OptionalReasonDto } from '../action/reason.dto';

const MAX_HOST_TEXT = 2048;

export class ListBlockedHostsDto {
  @ApiPropertyOptional({
    maxLength: MAX_HOST_NAME,
    description: 'Part of the host, in any case',
    example: 'evil',
  })
  @MaxLength(MAX_HOST_NAME)
  @IsString()
  @IsOptional()
  search?: string;

  @PageField()
  page: number = 1;

  @PageSizeField(25)
  pageSize: number = 25;
}

@CheckedNames()
export class BlockHostDto extends OptionalReasonDto {
  @ApiProperty({
    minLength: 1,
    maxLength: MAX_HOST_TEXT,
    description: 'A host or a URL, of which only the host is used',
    example: 'evil.example',
  })
  @MaxLength(MAX_HOST_TEXT)
  @MinLength(1)
  @IsString()
  host!: string;
}
