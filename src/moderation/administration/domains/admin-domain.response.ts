import { ApiProperty, PickType } from '@nestjs/swagger';
import { ISO_PROPERTY, itemPage } from '../../../common/openapi/properties';
import { DomainResponse } from '../../../domains/domain.response';
import { type Domain, hasOwner } from '../../../stores/domains/domain';
import { LinkOwnerResponse } from '../links/admin-link.response';

export class AdminDomainResponse extends PickType(DomainResponse, [
  'id',
  'fqdn',
  'status',
  'shared',
  'links',
  'links_of_others',
  'created_at',
]) {
  @ApiProperty({
    type: LinkOwnerResponse,
    nullable: true,
    description: "Null if the owner's account was deleted",
  })
  owner!: LinkOwnerResponse | null;

  @ApiProperty({ ...ISO_PROPERTY, nullable: true }) last_verified_at!: string | null;
}

export class AdminDomainPageResponse extends itemPage(AdminDomainResponse) {}

export function toAdminDomain(
  domain: Domain,
  counts: Pick<AdminDomainResponse, 'links' | 'links_of_others'>,
  emails: ReadonlyMap<string, string>,
): AdminDomainResponse {
  const { id, fqdn, status, ownerId } = domain;
  return {
    id,
    fqdn,
    status,
    shared: domain.isShared,
    ...counts,
    owner: hasOwner(domain) ? { id: ownerId, email: emails.get(ownerId) ?? null } : null,
    created_at: domain.createdAt.toISOString(),
    last_verified_at: domain.lastVerifiedAt?.toISOString() ?? null,
  };
}
