import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import {
  IsBoolean,
  IsIn,
  IsInt,
  IsOptional,
  IsString,
  Length,
  MaxLength,
  Min,
  MinLength,
  registerDecorator,
  type ValidationArguments,
} from 'class-validator';
import { AtLeastOneOf, IsNumberOrText } from '../common/http/validators';
import { aliasShapeProblem } from './alias';
import { LONGEST_URL } from './destination';
import { LINK_STATUSES, type LinkStatus } from './link';
import { LINK_PASSWORD_LENGTH } from './link-password';

/** The shape of a requested alias (docs/contract.md#5.1); longer values are judged by what the cut leaves. */
export function IsAlias(): PropertyDecorator {
  return (target, property) => {
    registerDecorator({
      name: 'isAlias',
      target: target.constructor,
      propertyName: String(property),
      validator: {
        validate: (value: unknown) =>
          typeof value === 'string' && aliasShapeProblem(value) === null,
        defaultMessage: ({ value }: ValidationArguments) => aliasShapeProblem(String(value)) ?? '',
      },
    });
  };
}

/** Body of POST /api/v1/shorten (docs/contract.md#5.1). */
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

/** Query of GET /api/v1/shorten/check-alias (docs/contract.md#5.5). */
export class CheckAliasDto {
  @ApiProperty({ minLength: 1, maxLength: 64 })
  @Length(1, 64)
  @IsString()
  alias!: string;
}

/** Body of PATCH /api/v1/urls/{url_id} (docs/contract.md#6.3); an absent key changes nothing. */
export class UpdateLinkDto {
  @ApiPropertyOptional({ format: 'uri', maxLength: LONGEST_URL })
  @IsOptional()
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

  @ApiPropertyOptional({
    minLength: 8,
    maxLength: 128,
    type: String,
    nullable: true,
    description: 'null removes it',
  })
  @IsOptional()
  @Length(LINK_PASSWORD_LENGTH.min, LINK_PASSWORD_LENGTH.max)
  @IsString()
  password?: string | null;

  @ApiPropertyOptional({
    minimum: 0,
    type: 'integer',
    nullable: true,
    description: 'null and 0 remove the limit',
  })
  @IsOptional()
  @Min(0)
  @IsInt()
  max_clicks?: number | null;

  @ApiPropertyOptional({
    oneOf: [{ type: 'integer' }, { type: 'string' }],
    nullable: true,
    description: 'Unix seconds or ISO 8601, in the future; null removes it',
  })
  @IsOptional()
  @IsNumberOrText()
  expire_after?: number | string | null;

  @ApiPropertyOptional()
  @IsOptional()
  @IsBoolean()
  block_bots?: boolean | null;

  @ApiPropertyOptional()
  @IsOptional()
  @IsBoolean()
  private_stats?: boolean | null;

  @ApiPropertyOptional({ enum: LINK_STATUSES })
  @IsOptional()
  @IsIn(LINK_STATUSES)
  status?: LinkStatus | null;
}

/** Body of PATCH /api/v1/urls/{url_id}/status (docs/contract.md#6.4). */
export class UpdateStatusDto {
  @ApiProperty({ enum: LINK_STATUSES })
  @IsIn(LINK_STATUSES)
  status!: LinkStatus;
}
