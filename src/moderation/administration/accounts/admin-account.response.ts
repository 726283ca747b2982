import { ApiProperty } from '@nestjs/swagger';
import { type Account, type Role, ROLES } from '../../../accounts/account/account';
import {
  COUNT,
  ID_PROPERTY,
  ISO_PROPERTY,
  itemPage,
  UNIX,
} from '../../../common/openapi/properties';
import { JobResponse } from '../../../jobs/job.response';
import { PROVIDER_NAMES } from '../../../config/sign-in-providers';

class SuspensionResponse {
  @ApiProperty(ISO_PROPERTY) at!: string;
  @ApiProperty({ ...ID_PROPERTY, nullable: true, description: 'Null for the command line' })
  by!: string | null;
  @ApiProperty({ example: 'Spam' }) reason!: string;
}

const TIME_OR_NULL = { ...ISO_PROPERTY, nullable: true };

export class AdminAccountResponse {
  @ApiProperty(ID_PROPERTY) id!: string;
  @ApiProperty({ example: 'ada@example.com' }) email!: string;
  @ApiProperty() email_verified!: boolean;
  @ApiProperty({ type: String, nullable: true }) user_name!: string | null;
  @ApiProperty({ enum: ROLES }) role!: Role;
  @ApiProperty() password_set!: boolean;
  @ApiProperty({ enum: PROVIDER_NAMES, isArray: true }) auth_providers!: string[];
  @ApiProperty(ISO_PROPERTY) created_at!: string;
  @ApiProperty(TIME_OR_NULL) last_sign_in_at!: string | null;
  @ApiProperty(COUNT) links!: number;
  @ApiProperty({ ...COUNT, description: "Clicks on all of the account's links" }) clicks!: number;
  @ApiProperty({ ...COUNT, description: 'Imported clicks on these links, not part of `clicks`' })
  imported_clicks!: number;
  @ApiProperty({ ...COUNT, description: 'Keys that have not been revoked' }) keys!: number;
  @ApiProperty({ ...COUNT, description: 'Sessions that have not ended' }) sessions!: number;
  @ApiProperty({ type: SuspensionResponse, nullable: true }) suspended!: SuspensionResponse | null;
  @ApiProperty(TIME_OR_NULL) deletes_at!: string | null;
}

export class AccountDeletionResponse {
  @ApiProperty({
    ...UNIX,
    description: 'The current time, because the deletion starts immediately',
  })
  deletes_at!: number;
  @ApiProperty({ description: "The deletion job, which has the account's ID" }) job!: JobResponse;
}

export class AdminAccountPageResponse extends itemPage(AdminAccountResponse) {}

export function toAdminAccount(
  account: Account,
  counts: Pick<AdminAccountResponse, 'links' | 'clicks' | 'imported_clicks' | 'keys' | 'sessions'>,
): AdminAccountResponse {
  const { suspended } = account;
  return {
    id: account.id,
    email: account.email,
    email_verified: account.emailVerified,
    user_name: account.userName,
    role: account.role,
    password_set: account.passwordHash !== null,
    auth_providers: account.identities.map(({ provider }) => provider),
    created_at: account.createdAt.toISOString(),
    last_sign_in_at: account.lastSignInAt?.toISOString() ?? null,
    ...counts,
    suspended: suspended && { ...suspended, at: suspended.at.toISOString() },
    deletes_at: account.deletesAt?.toISOString() ?? null,
  };
}
