import { ApiProperty } from '@nestjs/swagger';
import { COUNT, ISO_PROPERTY, itemPage } from '../../../common/openapi/properties';
import type { BlockedHost } from '../../../stores/blocked-hosts/blocked-hosts.repository';
import { LinkOwnerResponse } from '../links/admin-link.response';

const HOST = { example: 'evil.example', description: 'In DNS form' } as const;

export class BlockedHostResponse {
  @ApiProperty(HOST) host!: string;
  @ApiProperty({ type: String, nullable: true, example: 'Phishing' }) reason!: string | null;
  @ApiProperty(ISO_PROPERTY) created_at!: string;
  @ApiProperty({
    type: LinkOwnerResponse,
    nullable: true,
    description: 'The admin; null if a command blocked the host',
  })
  by!: LinkOwnerResponse | null;
  @ApiProperty({ ...COUNT, description: 'Links to this host or below it that a list blocked' })
  links_blocked!: number;
}

export class BlockedHostPageResponse extends itemPage(BlockedHostResponse) {}

export class UnblockedHostResponse {
  @ApiProperty({ example: 'The host is no longer blocked' }) message!: string;
  @ApiProperty(HOST) host!: string;
}

const BLOCKERS = ['file', 'administrator'] as const;

export class HostResponse {
  @ApiProperty(HOST) host!: string;
  @ApiProperty({ ...COUNT, description: 'Existing links to this host or below it' }) links!: number;
  @ApiProperty({ ...COUNT, description: 'Accounts that own these links' }) owners!: number;
  @ApiProperty({
    enum: BLOCKERS,
    type: String,
    nullable: true,
    description: 'What already blocks the host: BLOCKED_HOSTS_FILE or an admin',
  })
  blocked_by!: (typeof BLOCKERS)[number] | null;
}

export function toBlockedHostResponse(
  { host, reason, createdAt, by }: BlockedHost,
  emails: ReadonlyMap<string, string>,
  links_blocked: number,
): BlockedHostResponse {
  const admin = by === null ? null : { id: by, email: emails.get(by) ?? null };
  return { host, reason, created_at: createdAt.toISOString(), by: admin, links_blocked };
}
