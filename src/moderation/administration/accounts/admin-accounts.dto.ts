import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsOptional, IsString, MaxLength } from 'class-validator';
import {
  ACCOUNT_STANDINGS,
  type AccountStanding,
  MAX_EMAIL_LENGTH,
  type Role,
  ROLES,
} from '../../../accounts/account/account';
import { PageField, PageSizeField } from '../../../common/http/validators';
import { ASCENDING, DESCENDING } from '../../../links/listing/list-links.dto';
import { ReasonDto } from '../action/reason.dto';

const MAX_ACCOUNT_SEARCH = 500;

const ACCOUNT_ORDERS = ['created_at', 'last_sign_in_at', 'links', 'clicks'] as const;

export class SearchAccountsDto {
  @ApiPropertyOptional({
    maxLength: MAX_ACCOUNT_SEARCH,
    description: 'Part of the email address or name, in any case',
    example: 'ada@',
  })
  @MaxLength(MAX_ACCOUNT_SEARCH)
  @IsString()
  @IsOptional()
  search?: string;

  @ApiPropertyOptional({
    enum: ACCOUNT_STANDINGS,
    description: 'Only accounts with this status; each account has exactly one',
  })
  @IsIn(ACCOUNT_STANDINGS)
  @IsOptional()
  status?: AccountStanding;

  @ApiPropertyOptional({ enum: ROLES, description: 'Only accounts with this role' })
  @IsIn(ROLES)
  @IsOptional()
  role?: Role;

  @ApiPropertyOptional({ enum: ACCOUNT_ORDERS, default: 'created_at' })
  @IsIn(ACCOUNT_ORDERS)
  sortBy: (typeof ACCOUNT_ORDERS)[number] = 'created_at';

  @ApiPropertyOptional({ enum: [...ASCENDING, ...DESCENDING], default: 'descending' })
  @IsIn([...ASCENDING, ...DESCENDING])
  sortOrder: string = 'descending';

  @PageField() page: number = 1;
  @PageSizeField(25) pageSize: number = 25;
}

export class RoleDto {
  @ApiProperty({ enum: ROLES })
  @IsIn(ROLES)
  role!: Role;
}

export class DeleteAccountDto extends ReasonDto {
  @ApiProperty({
    maxLength: MAX_EMAIL_LENGTH,
    example: 'ada@example.com',
    description: "The account's email address",
  })
  @MaxLength(MAX_EMAIL_LENGTH)
  @IsString()
  email!: string;
}
