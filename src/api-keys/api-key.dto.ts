import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import {
  ArrayNotEmpty,
  IsArray,
  IsIn,
  IsOptional,
  IsString,
  Length,
  MaxLength,
} from 'class-validator';
import { type Scope, SCOPES } from '../auth/principal';
import { IsNumberOrText, MembersIn } from '../common/http/validators';

/** Body of POST /api/v1/keys (docs/contract.md#11). */
export class CreateKeyDto {
  @ApiProperty({ minLength: 1, maxLength: 255 })
  @Transform(({ value }: { value: unknown }) => (typeof value === 'string' ? value.trim() : value))
  @Length(1, 255)
  @IsString()
  name!: string;

  @ApiPropertyOptional({ type: String, maxLength: 1000, nullable: true })
  @IsOptional()
  @MaxLength(1000)
  @IsString()
  description?: string | null;

  @ApiProperty({ enum: SCOPES, isArray: true, minItems: 1 })
  @MembersIn(SCOPES)
  @ArrayNotEmpty()
  @IsArray()
  scopes!: Scope[];

  @ApiPropertyOptional({
    oneOf: [{ type: 'integer' }, { type: 'string' }],
    description: 'Unix seconds or ISO 8601, in the future',
  })
  @IsOptional()
  @IsNumberOrText()
  expires_at?: number | string | null;
}

/** Query of DELETE /api/v1/keys/{id}. */
export class DeleteKeyDto {
  @ApiPropertyOptional({ enum: ['true', 'false'], default: 'false' })
  @IsOptional()
  @IsIn(['true', 'false'])
  revoke?: 'true' | 'false';
}
