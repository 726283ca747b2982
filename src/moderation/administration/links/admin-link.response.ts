import { ApiProperty } from '@nestjs/swagger';
import { COUNT, ID_PROPERTY, itemPage } from '../../../common/openapi/properties';
import { LinkItemResponse } from '../../../links/making/link.response';

export class LinkOwnerResponse {
  @ApiProperty(ID_PROPERTY) id!: string;
  @ApiProperty({
    type: String,
    nullable: true,
    description: 'Null if the account no longer exists',
    example: 'ada@example.com',
  })
  email!: string | null;
}

export class AdminLinkResponse extends LinkItemResponse {
  @ApiProperty({
    type: LinkOwnerResponse,
    nullable: true,
    description: 'Null if the link has no owner',
  })
  owner!: LinkOwnerResponse | null;

  @ApiProperty({
    type: [String],
    description: 'The hosts of all destinations, in DNS form',
    example: ['example.com'],
  })
  destination_hosts!: string[];

  @ApiProperty({
    ...COUNT,
    description: 'Reports received since the previous reports were closed',
  })
  open_reports!: number;

  @ApiProperty({
    description:
      'Whether blocklists skip the link, because an admin unblocked it and its destinations have not changed since',
  })
  list_exempt!: boolean;
}

/** @param more fields hidden from the owner */
export function toAdminLink(
  item: Readonly<LinkItemResponse>,
  more: Pick<AdminLinkResponse, 'destination_hosts' | 'list_exempt' | 'open_reports' | 'owner'>,
): AdminLinkResponse {
  return { ...item, ...more };
}

export class AdminLinkPageResponse extends itemPage(AdminLinkResponse) {}
