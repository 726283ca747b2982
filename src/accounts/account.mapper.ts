import type { Account } from './account';
import type { AccountRecord, IdentityRecord } from './account.schema';

export function toAccount(record: AccountRecord): Account {
  return {
    id: record._id.toHexString(),
    email: record.email,
    emailVerified: record.email_verified,
    userName: record.user_name,
    passwordHash: record.password_hash,
    identities: record.identities.map(toIdentity),
    picture: record.picture,
    sessionEpoch: record.session_epoch,
    createdAt: record.created_at,
  };
}

function toIdentity(record: IdentityRecord): Account['identities'][number] {
  return {
    provider: record.provider,
    subject: record.subject,
    email: record.email,
    emailVerified: record.email_verified,
    linkedAt: record.linked_at,
    name: record.name,
    picture: record.picture,
  };
}
