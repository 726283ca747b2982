import type { ApiKey } from './api-key';
import type { ApiKeyRecord } from './api-key.schema';

export function toApiKey(record: ApiKeyRecord): ApiKey {
  return {
    id: record._id.toHexString(),
    ownerId: record.owner.toHexString(),
    name: record.name,
    description: record.description,
    scopes: record.scopes,
    prefix: record.prefix,
    createdAt: record.created_at,
    expiresAt: record.expires_at,
    revoked: record.place === null,
    lastUsedAt: record.last_used_at,
  };
}
