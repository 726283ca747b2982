import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import {
  IsBoolean,
  IsInt,
  IsOptional,
  IsString,
  Length,
  MaxLength,
  Min,
  MinLength,
} from 'class-validator';
import { AtLeastOneOf, IsNumberOrText } from '../http/validators';
import { IsAlias } from './alias.validator';
import { LINK_PASSWORD_LENGTH } from './link-password';
import { LONGEST_URL } from './destination';

/** Body of POST /api/v1/shorten (contract 5.1). */
export class CreateLinkDto {
  @ApiPropertyOptional({
    format: 'uri',
    maxLength: LONGEST_URL,
    description: 'Required (or `url`)',
  })
  @AtLeastOneOf('long_url', 'url')
  @MaxLength(LONGEST_URL)
  @MinLength(1)
  @IsString()
  long_url?: string | null;

  @ApiPropertyOptional({ description: 'Accepted instead of long_url, which wins' })
  @IsOptional()
  @MaxLength(LONGEST_URL)
  @MinLength(1)
  @IsString()
  url?: string | null;

  @ApiPropertyOptional({ description: 'Longer values are cut to 16 characters', minLength: 3 })
  @IsOptional()
  @IsAlias()
  @IsString()
  alias?: string | null;

  @ApiPropertyOptional({ minLength: 8, maxLength: 128 })
  @IsOptional()
  @Length(LINK_PASSWORD_LENGTH.min, LINK_PASSWORD_LENGTH.max)
  @IsString()
  password?: string | null;

  @ApiPropertyOptional({ minimum: 1, type: 'integer' })
  @IsOptional()
  @Min(1)
  @IsInt()
  max_clicks?: number | null;

  @ApiPropertyOptional({
    oneOf: [{ type: 'integer' }, { type: 'string' }],
    description: 'Unix seconds or ISO 8601, in the future',
  })
  @IsOptional()
  @IsNumberOrText()
  expire_after?: number | string | null;

  @ApiPropertyOptional({ default: false })
  @IsOptional()
  @IsBoolean()
  block_bots?: boolean | null;

  @ApiPropertyOptional({ description: 'true needs authentication; default true for owned links' })
  @IsOptional()
  @IsBoolean()
  private_stats?: boolean | null;
}

/** Query of GET /api/v1/shorten/check-alias (contract 5.5). */
export class CheckAliasDto {
  @ApiProperty({ minLength: 1, maxLength: 64 })
  @Length(1, 64)
  @IsString()
  alias!: string;
}
