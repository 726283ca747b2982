import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsOptional, IsString, Length, Matches } from 'class-validator';
import { EmailField, LONGEST_EMAIL } from './account-email';
import { ACCOUNT_PASSWORD_LENGTH } from './account-password';

const { min, max } = ACCOUNT_PASSWORD_LENGTH;
const PASSWORD_RULE =
  'An upper-case letter, a lower-case letter, a digit and a special character; ASCII only';

/** Body of POST /auth/login. */
export class LoginDto {
  @ApiProperty({ format: 'email', maxLength: LONGEST_EMAIL })
  @EmailField()
  email!: string;

  @ApiProperty({ minLength: 1, maxLength: 255 })
  @Length(1, 255)
  @IsString()
  password!: string;
}

/** Body of POST /auth/request-password-reset. */
export class ResetRequestDto {
  @ApiProperty({ format: 'email', maxLength: LONGEST_EMAIL })
  @EmailField()
  email!: string;
}

/** Body of POST /auth/set-password. */
export class NewPasswordDto {
  @ApiProperty({ minLength: min, maxLength: max, description: PASSWORD_RULE })
  @Length(min, max)
  @IsString()
  password!: string;
}

/** Body of POST /auth/register. */
export class RegisterDto extends NewPasswordDto {
  @ApiProperty({ format: 'email', maxLength: LONGEST_EMAIL })
  @EmailField()
  email!: string;

  @ApiPropertyOptional({ type: String, minLength: 1, maxLength: 255, nullable: true })
  @IsOptional()
  @Length(1, 255)
  @IsString()
  user_name?: string | null;
}

/** Body of POST /auth/verify-email. */
export class VerifyEmailDto {
  @ApiProperty({ pattern: '^[0-9]{6}$' })
  @Matches(/^[0-9]{6}$/, { message: 'code must be six digits' })
  @IsString()
  code!: string;
}

/** Body of POST /auth/reset-password. */
export class ResetPasswordDto extends NewPasswordDto {
  @ApiProperty({ format: 'email', maxLength: LONGEST_EMAIL })
  @EmailField()
  email!: string;

  @ApiProperty({ pattern: '^[0-9]{6}$' })
  @Matches(/^[0-9]{6}$/, { message: 'code must be six digits' })
  @IsString()
  code!: string;
}
