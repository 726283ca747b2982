import { applyDecorators } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import {
  IsBoolean,
  IsIn,
  IsOptional,
  IsString,
  Length,
  Matches,
  ValidateIf,
} from 'class-validator';
import { SoundText, Trimmed } from '../../common/http/validators';
import { NormalizedPassword } from '../../common/password';
import { textProblem } from '../../common/plain-text';
import { PROOF_PURPOSES, type ProofPurpose } from '../codes/code.schema';
import { EmailField, readNewEmail } from './account';
import { ACCOUNT_PASSWORD_LENGTH } from './account-password';

export const MAX_USER_NAME = 255;
const { min, max } = ACCOUNT_PASSWORD_LENGTH;
const PASSWORD_RULE =
  'An upper-case letter, a lower-case letter, a digit and a special character; ASCII only';

/** A password to compare. Only its length is validated. */
function TriedPasswordField(): PropertyDecorator {
  return applyDecorators(
    IsString(),
    Length(1, 255),
    ApiProperty({ minLength: 1, maxLength: 255, example: 'Analytical-Engine-1' }),
  );
}

function NewPasswordField(): PropertyDecorator {
  return applyDecorators(
    NormalizedPassword(),
    IsString(),
    Length(min, max),
    ApiProperty({
      minLength: min,
      maxLength: max,
      description: PASSWORD_RULE,
      example: 'Analytical-Engine-1',
    }),
  );
}

function UserNameField(): PropertyDecorator {
  return applyDecorators(
    SoundText((text) => textProblem(text, { max: MAX_USER_NAME })),
    Trimmed(),
    IsOptional(),
    ApiPropertyOptional({
      type: String,
      minLength: 1,
      maxLength: MAX_USER_NAME,
      nullable: true,
      example: 'Ada',
    }),
  );
}

function SixDigits(): PropertyDecorator {
  return applyDecorators(IsString(), Matches(/^[0-9]{6}$/, { message: 'code must be six digits' }));
}

function CodeField(): PropertyDecorator {
  return applyDecorators(SixDigits(), ApiProperty({ pattern: '^[0-9]{6}$', example: '123456' }));
}

export class LoginDto {
  @EmailField() email!: string;
  @TriedPasswordField() password!: string;
}

export class ResetRequestDto {
  @EmailField() email!: string;
}

export class NewPasswordDto {
  @NewPasswordField() password!: string;
}

export class RegisterDto extends NewPasswordDto {
  @EmailField(readNewEmail) email!: string;
  @UserNameField() user_name?: string | null;
}

export class UpdateProfileDto {
  @UserNameField() user_name?: string | null;
}

export class ChangePasswordDto extends NewPasswordDto {
  @TriedPasswordField() current_password!: string;
}

export class VerifyEmailDto {
  @CodeField() code!: string;
}

export class ResetPasswordDto extends NewPasswordDto {
  @EmailField() email!: string;
  @CodeField() code!: string;
}

export class ProofCodeDto {
  @ApiProperty({ enum: PROOF_PURPOSES, description: 'The action that the code will confirm' })
  @IsIn(PROOF_PURPOSES)
  purpose!: ProofPurpose;
}

/** An immediate deletion always needs a code, so the missing code is reported instead. */
function needsPassword({ password, code, now }: Partial<DeleteOwnAccountDto>): boolean {
  return password !== undefined || (code === undefined && now !== true);
}

/** Proves that the caller is the owner and not a person at an unlocked screen. */
export class OwnerProofDto {
  @ApiPropertyOptional({
    minLength: 1,
    maxLength: 255,
    example: 'Analytical-Engine-1',
    description: 'Required without `code`',
  })
  @ValidateIf(needsPassword)
  @IsString()
  @Length(1, 255)
  password?: string;

  @ApiPropertyOptional({
    pattern: '^[0-9]{6}$',
    example: '123456',
    description: 'Emailed by POST /auth/me/code. Required without `password`',
  })
  @ValidateIf(({ code }: Partial<OwnerProofDto>) => code !== undefined)
  @SixDigits()
  code?: string;
}

export class ChangeEmailDto extends OwnerProofDto {
  @EmailField(readNewEmail) email!: string;
}

export class DeleteOwnAccountDto extends OwnerProofDto {
  @ApiPropertyOptional({ description: 'Deletes the account immediately; requires `code`' })
  @IsOptional()
  @IsBoolean()
  now?: boolean;

  @ApiPropertyOptional({
    description: 'Whether the links return 410 until the account is deleted or restored',
  })
  @IsOptional()
  @IsBoolean()
  close_links?: boolean;
}
