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
import { ID_PROPERTY } from '../../common/openapi/properties';

export const CLAIM_STATUSES = ['claimed', 'already_yours', 'invalid'] as const;
export type ClaimStatus = (typeof CLAIM_STATUSES)[number];

export const MAX_CLAIMS = 16;
const MAX_TOKEN = 128;

export class ClaimDto {
  @ApiProperty({ description: "The link's ID", example: ID_PROPERTY.example })
  @IsString()
  url_id!: string;

  @ApiProperty({
    maxLength: MAX_TOKEN,
    description: '`claim_token` from the response that created the link',
  })
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
