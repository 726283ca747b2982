import { applyDecorators } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsOptional, IsString, Length, Matches } from 'class-validator';
import { NormalizedPassword } from '../common/password';
import { EmailField, readNewEmail } from './account-email';
import { ACCOUNT_PASSWORD_LENGTH } from './account-password';

const { min, max } = ACCOUNT_PASSWORD_LENGTH;
const PASSWORD_RULE =
  'An upper-case letter, a lower-case letter, a digit and a special character; ASCII only';

/** A password that is tried: no rule but its length. */
function TriedPasswordField(): PropertyDecorator {
  return applyDecorators(
    IsString(),
    Length(1, 255),
    ApiProperty({ minLength: 1, maxLength: 255, example: 'Analytical-Engine-1' }),
  );
}

/** A password that is set; what it needs beside its length is judged by the services. */
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
    IsString(),
    Length(1, 255),
    IsOptional(),
    ApiPropertyOptional({
      type: String,
      minLength: 1,
      maxLength: 255,
      nullable: true,
      example: 'Ada',
    }),
  );
}

/** A code that has come by mail. */
function CodeField(): PropertyDecorator {
  return applyDecorators(
    IsString(),
    Matches(/^[0-9]{6}$/, { message: 'code must be six digits' }),
    ApiProperty({ pattern: '^[0-9]{6}$', example: '123456' }),
  );
}

/** Body of POST /auth/login. */
export class LoginDto {
  @EmailField()
  email!: string;

  @TriedPasswordField()
  password!: string;
}

/** Body of POST /auth/request-password-reset. */
export class ResetRequestDto {
  @EmailField()
  email!: string;
}

/** Body of POST /auth/set-password. */
export class NewPasswordDto {
  @NewPasswordField()
  password!: string;
}

/** Body of POST /auth/register. */
export class RegisterDto extends NewPasswordDto {
  @EmailField(readNewEmail)
  email!: string;

  @UserNameField()
  user_name?: string | null;
}

/** Body of PATCH /auth/me. */
export class UpdateProfileDto {
  @UserNameField()
  user_name?: string | null;
}

/** Body of POST /auth/change-password. */
export class ChangePasswordDto extends NewPasswordDto {
  @TriedPasswordField()
  current_password!: string;
}

/** Body of POST /auth/verify-email. */
export class VerifyEmailDto {
  @CodeField()
  code!: string;
}

/** Body of POST /auth/reset-password. */
export class ResetPasswordDto extends NewPasswordDto {
  @EmailField()
  email!: string;

  @CodeField()
  code!: string;
}
