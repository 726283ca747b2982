import { ApiProperty } from '@nestjs/swagger';
import { User } from './account.presenter';

/** Answer of POST /auth/refresh. */
export class TokenAnswer {
  @ApiProperty({ description: 'JWT, valid for 900 seconds' }) access_token!: string;
}

/** Answer of POST /auth/login. */
export class SignedInAnswer extends TokenAnswer {
  @ApiProperty() user!: User;
}

/** Answer of POST /auth/register. */
export class RegisteredAnswer extends SignedInAnswer {
  @ApiProperty({ enum: [true] }) requires_verification!: true;
  @ApiProperty({ description: 'Whether the verification mail went out' })
  verification_sent!: boolean;
}

/** Answer of GET /auth/me. */
export class ProfileAnswer {
  @ApiProperty() user!: User;
}

/** Answer of POST /auth/logout. */
export class DoneAnswer {
  @ApiProperty({ enum: [true] }) success!: true;
}

/** Answer of steps that say what happened. */
export class MessageAnswer extends DoneAnswer {
  @ApiProperty() message!: string;
}

/** Answer of POST /auth/send-verification. */
export class CodeSentAnswer extends MessageAnswer {
  @ApiProperty({ description: 'Seconds; 0 when there was nothing to verify' })
  expires_in!: number;
}

/** Answer of POST /auth/verify-email. */
export class VerifiedAnswer extends MessageAnswer {
  @ApiProperty({ enum: [true] }) email_verified!: true;
  @ApiProperty() access_token!: string;
}
