import { ApiProperty } from '@nestjs/swagger';
import { UserResponse } from './account.presenter';

/** Answer of POST /auth/refresh. */
export class TokenResponse {
  @ApiProperty({ description: 'JWT, valid for 900 seconds' }) access_token!: string;
}

/** Answer of POST /auth/login. */
export class SignedInResponse extends TokenResponse {
  @ApiProperty() user!: UserResponse;
}

/** Answer of POST /auth/register. */
export class RegisteredResponse extends SignedInResponse {
  @ApiProperty({ enum: [true] }) requires_verification!: true;
  @ApiProperty({ description: 'Whether the verification mail went out' })
  verification_sent!: boolean;
}

/** Answer of GET /auth/me. */
export class ProfileResponse {
  @ApiProperty() user!: UserResponse;
}

/** Answer of POST /auth/logout. */
export class DoneResponse {
  @ApiProperty({ enum: [true] }) success!: true;
}

/** Answer of steps that say what happened. */
export class MessageResponse extends DoneResponse {
  @ApiProperty() message!: string;
}

/** Answer of POST /auth/send-verification. */
export class CodeSentResponse extends MessageResponse {
  @ApiProperty({ description: 'Seconds; 0 when there was nothing to verify' })
  expires_in!: number;
}

/** Answer of POST /auth/verify-email. */
export class VerifiedResponse extends MessageResponse {
  @ApiProperty({ enum: [true] }) email_verified!: true;
  @ApiProperty() access_token!: string;
}
