import type { Account, LinkedIdentity } from './account';
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

function toIdentity(record: IdentityRecord): LinkedIdentity {
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

export function toIdentityRecord(identity: LinkedIdentity): IdentityRecord {
  return {
    provider: identity.provider,
    subject: identity.subject,
    email: identity.email,
    email_verified: identity.emailVerified,
    linked_at: identity.linkedAt,
    name: identity.name,
    picture: identity.picture,
  };
}
