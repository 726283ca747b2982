import { ApiProperty } from '@nestjs/swagger';
import { ID_PROPERTY, ISO_PROPERTY, UNIX } from '../../common/openapi/properties';
import { unixSeconds } from '../../common/time';
import { PROVIDER_NAMES } from '../../config/sign-in-providers';
import { type Account, type Role, ROLES } from './account';

export class AuthProviderResponse {
  @ApiProperty({ enum: PROVIDER_NAMES }) provider!: string;
  @ApiProperty({ example: 'ada@example.com' }) email!: string;
  @ApiProperty(ISO_PROPERTY) linked_at!: string;
}

const JWT_EXAMPLE = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiI2NjVmIn0.c2lnbmF0dXJl';

export class ProfilePictureResponse {
  @ApiProperty({ example: 'https://id.example.com/ada.png' }) url!: string;
  @ApiProperty({ description: "The provider's name", example: 'google' }) source!: string;
}

export class UserResponse {
  @ApiProperty(ID_PROPERTY) id!: string;
  @ApiProperty({ example: 'ada@example.com' }) email!: string;
  @ApiProperty() email_verified!: boolean;
  @ApiProperty({ type: String, nullable: true, example: 'Ada' }) user_name!: string | null;
  @ApiProperty({ enum: ['free'] }) plan!: 'free';
  @ApiProperty({ enum: ROLES }) role!: Role;
  @ApiProperty() password_set!: boolean;
  @ApiProperty({ type: [AuthProviderResponse] }) auth_providers!: AuthProviderResponse[];
  @ApiProperty({ type: ProfilePictureResponse, nullable: true })
  pfp!: ProfilePictureResponse | null;
  @ApiProperty({
    ...UNIX,
    nullable: true,
    description: 'When the account will be deleted; until then, its owner can restore it',
  })
  deletes_at!: number | null;
}

export function toUserResponse(account: Account): UserResponse {
  return {
    id: account.id,
    email: account.email,
    email_verified: account.emailVerified,
    user_name: account.userName,
    plan: 'free',
    role: account.role,
    password_set: account.passwordHash !== null,
    auth_providers: account.identities.map(({ provider, email, linkedAt }) => ({
      provider,
      email,
      linked_at: linkedAt.toISOString(),
    })),
    pfp: account.picture === null ? null : { ...account.picture },
    deletes_at: unixSeconds(account.deletesAt),
  };
}

const ALWAYS = { type: Boolean, enum: [true] };

export class TokenResponse {
  @ApiProperty({ description: 'JWT, valid for 900 seconds', example: JWT_EXAMPLE })
  access_token!: string;
}

export class SignedInResponse extends TokenResponse {
  @ApiProperty() user!: UserResponse;
}

export class RegisteredResponse extends SignedInResponse {
  @ApiProperty(ALWAYS) requires_verification!: true;
  @ApiProperty({ description: 'Whether the verification email was sent' })
  verification_sent!: boolean;
}

export class ProfileResponse {
  @ApiProperty() user!: UserResponse;
}

export class DoneResponse {
  @ApiProperty(ALWAYS) success!: true;
}

export class MessageResponse extends DoneResponse {
  @ApiProperty({ example: 'Done' }) message!: string;
}

export class CodeSentResponse extends MessageResponse {
  @ApiProperty({
    type: 'integer',
    minimum: 0,
    description: 'Seconds until the code expires; 0 if no code was sent',
  })
  expires_in!: number;
}

export class OwnDeletionResponse {
  @ApiProperty({ ...UNIX, description: 'The owner can restore the account until this time' })
  deletes_at!: number;
}

export class VerifiedResponse extends MessageResponse {
  @ApiProperty(ALWAYS) email_verified!: true;
  @ApiProperty({ description: 'JWT for the verified account', example: JWT_EXAMPLE })
  access_token!: string;
}
