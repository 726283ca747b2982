import { BsonFields } from '../../infrastructure/mongo/bson-fields';
import { addressesOfLink } from './destination-hosts';
import type { LinkBlock } from './link';
import type { LinkRecord } from './link.schema';

export interface ListableLink {
  readonly id: string;
  readonly alias: string;
  readonly hosts: readonly string[];
  readonly longUrl: string;
  /** All destinations; only read to check patterns. */
  readonly addresses: readonly string[];
  readonly blockedBy: LinkBlock['by'] | null;
  readonly isExempt: boolean;
}

const BASE_FIELDS = { alias: 1, destination_hosts: 1, list_exempt: 1, 'blocked.by': 1 } as const;
const ADDRESSES = {
  long_url: 1,
  pre_start_url: 1,
  expired_redirect_url: 1,
  'rules.to': 1,
  geo_rules: 1,
  'ab_variants.url': 1,
} as const;

export type ListableRecord = Pick<
  LinkRecord,
  '_id' | 'alias' | 'destination_hosts' | 'list_exempt'
> & {
  readonly long_url: string;
  readonly blocked?: Pick<LinkBlock, 'by'>;
  readonly rules?: readonly { readonly to: string }[];
  readonly ab_variants?: readonly { readonly url: string }[];
} & Partial<Pick<LinkRecord, 'expired_redirect_url' | 'geo_rules' | 'pre_start_url'>>;

export const LISTABLE_FIELDS: Record<string, 1> = { ...BASE_FIELDS, ...ADDRESSES };

export type JudgedLink = Pick<
  ListableLink,
  'addresses' | 'blockedBy' | 'hosts' | 'id' | 'isExempt'
>;

class LinkByHosts implements JudgedLink {
  id = '';
  hosts: readonly string[] = [];
  readonly addresses: readonly string[] = [];
  blockedBy: LinkBlock['by'] | null = null;
  isExempt = false;
}

export const FIELDS_BY_HOSTS = { destination_hosts: 1, list_exempt: 1, by: '$blocked.by' } as const;

const BY_HOSTS = new BsonFields<LinkByHosts>({
  _id: (link, value) => (link.id = value.hex()),
  destination_hosts: (link, value) => (link.hosts = value.elements((host) => host.text())),
  list_exempt: (link, value) => (link.isExempt = value.boolean()),
  by: (link, value) => (link.blockedBy = value.text() as LinkBlock['by']),
});

export function readByHosts(document: Uint8Array): JudgedLink {
  return BY_HOSTS.read(document, new LinkByHosts());
}

export function toListable(record: ListableRecord): ListableLink {
  const { long_url, pre_start_url, expired_redirect_url, geo_rules } = record;
  const { rules = [], ab_variants = [] } = record;
  return {
    id: record._id.toHexString(),
    alias: record.alias,
    hosts: record.destination_hosts ?? [],
    longUrl: long_url,
    addresses: addressesOfLink({
      longUrl: long_url,
      preStartUrl: pre_start_url ?? null,
      expiredRedirectUrl: expired_redirect_url ?? null,
      destinations: { rules, geoRules: geo_rules ?? null, abVariants: ab_variants },
    }),
    blockedBy: record.blocked?.by ?? null,
    isExempt: record.list_exempt ?? false,
  };
}
