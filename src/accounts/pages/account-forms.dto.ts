import { Transform } from 'class-transformer';
import { IsOptional } from 'class-validator';
import { LoginDto, RegisterDto, ResetPasswordDto, VerifyEmailDto } from '../accounts.dto';

/** Form of POST /login (docs/contract.md#18.2). */
export class LoginFormDto extends LoginDto {
  /** Anything: what is no path of ours leads to the dashboard. */
  @IsOptional()
  next?: unknown;
}

/** Form of POST /register. A field that is left empty is sent all the same. */
export class RegisterFormDto extends RegisterDto {
  @Transform(({ value }: { value: unknown }) => (value === '' ? undefined : value))
  override user_name?: string | null;
}

/** A code is copied with the spaces around it, or typed with one in its middle. */
function SpacesDropped(): PropertyDecorator {
  return Transform(({ value }: { value: unknown }) =>
    typeof value === 'string' && value.length < 100 ? value.replace(/\s/g, '') : value,
  );
}

/** Form of POST /register/verify. */
export class VerifyFormDto extends VerifyEmailDto {
  @SpacesDropped()
  override code!: string;
}

/** Form of POST /login/reset-password. */
export class ResetFormDto extends ResetPasswordDto {
  @SpacesDropped()
  override code!: string;
}
