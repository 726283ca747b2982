import { ApiProperty } from '@nestjs/swagger';
import type { Account } from './account';

export class AuthProviderResponse {
  @ApiProperty() provider!: string;
  @ApiProperty() email!: string;
  @ApiProperty({ format: 'date-time' }) linked_at!: string;
}

export class ProfilePictureResponse {
  @ApiProperty() url!: string;
  @ApiProperty({ description: 'Name of the provider' }) source!: string;
}

/** The user object of contract 12.1. */
export class UserResponse {
  @ApiProperty() id!: string;
  @ApiProperty() email!: string;
  @ApiProperty() email_verified!: boolean;
  @ApiProperty({ type: String, nullable: true }) user_name!: string | null;
  @ApiProperty({ enum: ['free'] }) plan!: 'free';
  @ApiProperty() password_set!: boolean;
  @ApiProperty({ type: [AuthProviderResponse] }) auth_providers!: AuthProviderResponse[];
  @ApiProperty({ type: ProfilePictureResponse, nullable: true })
  pfp!: ProfilePictureResponse | null;
}

export function toUserResponse(account: Account): UserResponse {
  return {
    id: account.id,
    email: account.email,
    email_verified: account.emailVerified,
    user_name: account.userName,
    plan: 'free',
    password_set: account.passwordHash !== null,
    auth_providers: account.identities.map(({ provider, email, linkedAt }) => ({
      provider,
      email,
      linked_at: linkedAt.toISOString(),
    })),
    pfp: account.picture === null ? null : { ...account.picture },
  };
}
