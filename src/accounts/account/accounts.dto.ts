import { applyDecorators } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsOptional, IsString, Length, Matches } from 'class-validator';
import { SoundText, Trimmed } from '../../common/http/validators';
import { NormalizedPassword } from '../../common/password';
import { textProblem } from '../../common/plain-text';
import { EmailField, readNewEmail } from './account-email';
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

function CodeField(): PropertyDecorator {
  return applyDecorators(
    IsString(),
    Matches(/^[0-9]{6}$/, { message: 'code must be six digits' }),
    ApiProperty({ pattern: '^[0-9]{6}$', example: '123456' }),
  );
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
