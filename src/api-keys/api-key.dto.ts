import { applyDecorators } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { ArrayNotEmpty, IsArray, IsIn, IsOptional } from 'class-validator';
import { type Scope, SCOPES } from '../auth/access';
import {
  CheckedNames,
  IsNumberOrText,
  MembersIn,
  SoundText,
  Trimmed,
} from '../common/http/validators';
import { FUTURE_TIME } from '../common/openapi/properties';
import { textProblem } from '../common/plain-text';

function NameField(): PropertyDecorator {
  return applyDecorators(
    SoundText((text) => textProblem(text, { max: 255 })),
    Trimmed(),
    ApiProperty({ minLength: 1, maxLength: 255, example: 'Newsletter' }),
  );
}

function DescriptionField(): PropertyDecorator {
  return applyDecorators(
    SoundText((text) => (text === '' ? null : textProblem(text, { max: 1000, lines: true }))),
    IsOptional(),
    ApiPropertyOptional({ type: String, maxLength: 1000, nullable: true }),
  );
}

function ScopesField(): PropertyDecorator {
  return applyDecorators(
    IsArray(),
    ArrayNotEmpty(),
    MembersIn(SCOPES),
    ApiProperty({ enum: SCOPES, isArray: true, minItems: 1 }),
  );
}

function KeyExpiryField(): PropertyDecorator {
  return applyDecorators(
    IsNumberOrText(),
    IsOptional(),
    ApiPropertyOptional({
      oneOf: [{ type: 'integer' }, { type: 'string' }],
      nullable: true,
      description: `${FUTURE_TIME}; without it the key does not expire`,
      example: '2030-06-01T00:00:00Z',
    }),
  );
}

@CheckedNames()
export class CreateKeyDto {
  @NameField() name!: string;
  @DescriptionField() description?: string | null;
  @ScopesField() scopes!: Scope[];
  @KeyExpiryField() expires_at?: number | string | null;
}

export class DeleteKeyDto {
  @ApiPropertyOptional({
    enum: ['true', 'false'],
    default: 'false',
    description: '`true` keeps the revoked key in the list; `false` removes it',
  })
  @IsOptional()
  @IsIn(['true', 'false'])
  revoke?: 'true' | 'false';
}
