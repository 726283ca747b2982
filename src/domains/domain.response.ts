import { ApiProperty } from '@nestjs/swagger';
import { COUNT, ID_PROPERTY, ISO_PROPERTY, itemPage } from '../common/openapi/properties';
import {
  type AppLinks,
  type Domain,
  DOMAIN_STATUSES,
  type DomainStatus,
} from '../stores/domains/domain';
import type { LinkReads } from '../stores/links/link-reads.repository';
import { AppLinksDto } from './domain.dto';
import { dnsRecords, type DnsTarget, RECORD_STATES, RECORD_TYPES, setupNotes } from './dns-records';

const PURPOSES = ['ownership', 'traffic'] as const;

export class DnsRecordResponse {
  @ApiProperty({ enum: RECORD_TYPES }) type!: (typeof RECORD_TYPES)[number];
  @ApiProperty({ example: '_curtail.links.example.com' }) name!: string;
  @ApiProperty({ example: 'curtail-verify=9f86d081884c7d659a2feaa0c55ad015' }) value!: string;
  @ApiProperty({ enum: PURPOSES }) purpose!: (typeof PURPOSES)[number];

  @ApiProperty({
    enum: RECORD_STATES,
    nullable: true,
    description: 'At the last check; null before a check, or if DNS did not respond',
  })
  state!: (typeof RECORD_STATES)[number] | null;

  @ApiProperty({
    type: [String],
    maxItems: 4,
    description: 'Values or addresses that a `wrong` record has instead',
  })
  found!: string[];
}

const NULLABLE_DOMAIN_TEXT = { type: String, nullable: true } as const;

export class DomainResponse {
  @ApiProperty(ID_PROPERTY) id!: string;
  @ApiProperty({ example: 'links.example.com' }) fqdn!: string;

  @ApiProperty({
    enum: ['pending', 'verifying', ...DOMAIN_STATUSES.slice(1)],
    description: '`verifying` is no longer used',
  })
  status!: DomainStatus;

  @ApiProperty({ enum: ['txt_challenge'] }) verification_method!: string;
  @ApiProperty({ type: [DnsRecordResponse] }) dns_records!: DnsRecordResponse[];

  @ApiProperty({
    type: [String],
    description: 'Next steps, in sentences',
    example: ['Point the name at this service'],
  })
  setup_notes!: string[];

  @ApiProperty(ISO_PROPERTY) created_at!: string;
  @ApiProperty(ISO_PROPERTY) updated_at!: string;
  @ApiProperty({ ...ISO_PROPERTY, nullable: true }) last_verified_at!: string | null;
  @ApiProperty(NULLABLE_DOMAIN_TEXT) last_verification_error!: string | null;
  @ApiProperty(NULLABLE_DOMAIN_TEXT) root_redirect!: string | null;
  @ApiProperty(NULLABLE_DOMAIN_TEXT) not_found_redirect!: string | null;
  @ApiProperty(NULLABLE_DOMAIN_TEXT) custom_robots_txt!: string | null;
  @ApiProperty() is_default!: boolean;
  @ApiProperty({ type: AppLinksDto, nullable: true }) app_links!: AppLinksDto | null;
  @ApiProperty({ description: 'Whether all accounts may create links on this domain' })
  shared!: boolean;
  @ApiProperty({ ...COUNT, description: "All accounts' links on this domain, in any status" })
  links!: number;
  @ApiProperty({ ...COUNT, description: "Other accounts' links on this domain" })
  links_of_others!: number;
}

export class DomainPageResponse extends itemPage(DomainResponse) {}

export class SharedDomainResponse {
  @ApiProperty({ example: 'links.example.com' }) fqdn!: string;
  @ApiProperty({ enum: ['active', 'suspended'] }) status!: DomainStatus;
  @ApiProperty({ enum: [true] }) shared!: true;
}

export class SharedDomainPageResponse extends itemPage(SharedDomainResponse) {}

export class RemovedDomainResponse {
  @ApiProperty(ID_PROPERTY) id!: string;
  @ApiProperty({ example: 'links.example.com' }) fqdn!: string;
  @ApiProperty() cascade!: boolean;
  @ApiProperty(COUNT) urls_deleted!: number;
}

/** Counts all links on the domain, and those of accounts other than the owner. */
export async function domainLinkCounts(
  { id, ownerId, wasShared }: Domain,
  links: LinkReads,
): Promise<Pick<DomainResponse, 'links' | 'links_of_others'>> {
  if (!wasShared) return { links: await links.countIn(id), links_of_others: 0 };
  // Other accounts' links are not counted themselves, because no index contains alias and owner.
  const counts = [links.countIn(id), links.countIn(id, undefined, { ownerId })];
  const [all = 0, own = 0] = await Promise.all(counts);
  return { links: all, links_of_others: Math.max(all - own, 0) };
}

export function toDomainResponse(
  domain: Domain,
  counts: Pick<DomainResponse, 'links' | 'links_of_others'>,
  target: DnsTarget,
): DomainResponse {
  return {
    id: domain.id,
    fqdn: domain.fqdn,
    status: domain.status,
    verification_method: 'txt_challenge',
    dns_records: dnsRecords(domain, target),
    setup_notes: setupNotes(domain, target),
    created_at: domain.createdAt.toISOString(),
    updated_at: domain.updatedAt.toISOString(),
    last_verified_at: domain.lastVerifiedAt?.toISOString() ?? null,
    last_verification_error: domain.error,
    root_redirect: domain.rootRedirect,
    not_found_redirect: domain.notFoundRedirect,
    custom_robots_txt: domain.robots,
    is_default: domain.isDefault,
    app_links: shownAppLinks(domain.appLinks),
    shared: domain.isShared,
    ...counts,
  };
}

function shownAppLinks(links: AppLinks | null): AppLinksDto | null {
  if (links === null) return null;
  const parseJson = (text: string | null): unknown => (text === null ? null : JSON.parse(text));
  return {
    apple: parseJson(links.apple) as object | null,
    android: parseJson(links.android) as unknown[] | null,
  };
}
