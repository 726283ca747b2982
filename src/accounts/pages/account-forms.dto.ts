import { Transform } from 'class-transformer';
import { IsOptional, IsString, MaxLength } from 'class-validator';
import { LoginDto, RegisterDto, ResetPasswordDto, VerifyEmailDto } from '../account/accounts.dto';

export class LoginFormDto extends LoginDto {
  /** Not validated. Values other than a path on this service lead to the dashboard. */
  @IsOptional() next?: unknown;
}

/** Browsers also submit empty fields. */
export class RegisterFormDto extends RegisterDto {
  @Transform(({ value }: { value: unknown }) => (value === '' ? undefined : value))
  override user_name?: string | null;
}

/** Removes spaces, because users copy or type codes with spaces. */
function SpacesDropped(): PropertyDecorator {
  return Transform(({ value }: { value: unknown }) =>
    typeof value === 'string' && value.length < 100 ? value.replace(/\s/g, '') : value,
  );
}

export class VerifyFormDto extends VerifyEmailDto {
  @SpacesDropped()
  override code!: string;
}

export class UndoEmailFormDto {
  @IsString()
  @MaxLength(100)
  token!: string;
}

export class ResetFormDto extends ResetPasswordDto {
  @SpacesDropped()
  override code!: string;
}
