import { ApiProperty } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import {
  ArrayMaxSize,
  ArrayMinSize,
  IsArray,
  IsObject,
  IsString,
  MaxLength,
  ValidateNested,
} from 'class-validator';
import { CheckedNames } from '../../common/http/validators';
import { COUNT, ID_PROPERTY } from '../../common/openapi/properties';

const CLAIM_STATUSES = ['claimed', 'already_yours', 'invalid'] as const;
export type ClaimStatus = (typeof CLAIM_STATUSES)[number];

export const MAX_CLAIMS = 16;
const MAX_TOKEN = 128;

export class ClaimDto {
  @ApiProperty({ description: 'Id of the link', example: ID_PROPERTY.example })
  @IsString()
  url_id!: string;

  @ApiProperty({ maxLength: MAX_TOKEN, description: '`claim_token` of its creation' })
  @MaxLength(MAX_TOKEN)
  @IsString()
  token!: string;
}

@CheckedNames()
export class ClaimLinksDto {
  @ApiProperty({ type: [ClaimDto], minItems: 1, maxItems: MAX_CLAIMS })
  @Type(() => ClaimDto)
  @ValidateNested({ each: true })
  @IsObject({ each: true })
  @ArrayMaxSize(MAX_CLAIMS)
  @ArrayMinSize(1)
  @IsArray()
  claims!: ClaimDto[];
}

export class ClaimedLinkResponse {
  @ApiProperty({ description: 'As it was sent', example: ID_PROPERTY.example }) url_id!: string;
  @ApiProperty({
    enum: CLAIM_STATUSES,
    description: 'invalid: unknown, another account’s or a wrong token, not told apart',
  })
  status!: ClaimStatus;
}

export class ClaimedLinksResponse {
  @ApiProperty({ type: [ClaimedLinkResponse], description: 'In the order of the request' })
  results!: ClaimedLinkResponse[];
  @ApiProperty({ ...COUNT, description: 'How many are the account’s from now on' })
  claimed!: number;
}
