import { ApiProperty } from '@nestjs/swagger';
import { SCOPES } from '../auth/access';
import { ID_PROPERTY, UNIX } from '../common/openapi/properties';
import { unixSeconds } from '../common/time';
import type { ApiKey } from './api-key';

export class ApiKeyResponse {
  @ApiProperty(ID_PROPERTY) id!: string;
  @ApiProperty({ example: 'Newsletter' }) name!: string;
  @ApiProperty({ type: String, nullable: true }) description!: string | null;
  @ApiProperty({ enum: SCOPES, isArray: true }) scopes!: string[];
  @ApiProperty(UNIX) created_at!: number;
  @ApiProperty({ ...UNIX, nullable: true }) expires_at!: number | null;
  @ApiProperty() revoked!: boolean;
  @ApiProperty({ description: 'First 8 characters after svc_', example: 'Zk3vQ9_a' })
  token_prefix!: string;
  @ApiProperty({ ...UNIX, nullable: true, description: 'Unix seconds, refreshed at most hourly' })
  last_used_at!: number | null;
}

export class CreatedApiKeyResponse extends ApiKeyResponse {
  @ApiProperty({
    description: 'The key itself; only this response contains it',
    pattern: '^svc_[A-Za-z0-9_-]{43}$',
    example: `svc_${'Zk3vQ9_a'.padEnd(43, 'x')}`,
  })
  token!: string;
}

export class ApiKeyListResponse {
  @ApiProperty({ type: [ApiKeyResponse] }) keys!: ApiKeyResponse[];
}

export class ApiKeyRemovalResponse {
  @ApiProperty({ type: Boolean, enum: [true] }) success!: true;
  @ApiProperty({ enum: ['revoked', 'deleted'] }) action!: 'revoked' | 'deleted';
}

export function toApiKeyResponse(key: ApiKey): ApiKeyResponse {
  return {
    id: key.id,
    name: key.name,
    description: key.description,
    scopes: [...key.scopes],
    created_at: unixSeconds(key.createdAt),
    expires_at: unixSeconds(key.expiresAt),
    revoked: key.revoked,
    token_prefix: key.prefix,
    last_used_at: unixSeconds(key.lastUsedAt),
  };
}

export function toCreatedApiKeyResponse(key: ApiKey, token: string): CreatedApiKeyResponse {
  return Object.assign(toApiKeyResponse(key), { token });
}
