import { ApiProperty } from '@nestjs/swagger';
import { ISO_PROPERTY } from '../common/openapi/properties';
import type { LinkedIdentity } from '../accounts/account/account';
import { PROVIDER_NAMES } from '../config/sign-in-providers';

export class ProviderProfileResponse {
  @ApiProperty({ type: String, nullable: true }) name!: string | null;
  @ApiProperty({ type: String, nullable: true }) picture!: string | null;
}

export class LinkedProviderResponse {
  @ApiProperty({ enum: PROVIDER_NAMES }) provider!: string;
  @ApiProperty({ example: 'ada@example.com' }) email!: string;
  @ApiProperty({ description: 'Whether the provider has verified the email' })
  email_verified!: boolean;
  @ApiProperty(ISO_PROPERTY) linked_at!: string;
  @ApiProperty() profile!: ProviderProfileResponse;
}

export class LinkedProvidersResponse {
  @ApiProperty({ type: [LinkedProviderResponse] }) providers!: LinkedProviderResponse[];
  @ApiProperty() password_set!: boolean;
}

export function toLinkedProvider(identity: LinkedIdentity): LinkedProviderResponse {
  const { provider, email, emailVerified, linkedAt, name, picture } = identity;
  return {
    provider,
    email,
    email_verified: emailVerified,
    linked_at: linkedAt.toISOString(),
    profile: { name, picture },
  };
}
