import { addressesOfLink } from './destination-hosts';
import type { LinkBlock } from './link';
import type { LinkRecord } from './link.schema';

/** A link as lists of hosts and addresses see it (docs/contract.md#24.6). */
export interface ListableLink {
  readonly id: string;
  readonly alias: string;
  /** In their stored form. */
  readonly hosts: readonly string[];
  /** Null, as there are no addresses, where these are not read. */
  readonly longUrl: string | null;
  /** Every address that it can lead to. */
  readonly addresses: readonly string[];
  /** Null: it is not blocked. */
  readonly blockedBy: LinkBlock['by'] | null;
  readonly isExempt: boolean;
}

const FIELDS = { alias: 1, destination_hosts: 1, list_exempt: 1, 'blocked.by': 1 } as const;
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
  readonly blocked?: Pick<LinkBlock, 'by'>;
  readonly rules?: readonly { readonly to: string }[];
  readonly ab_variants?: readonly { readonly url: string }[];
} & Partial<Pick<LinkRecord, 'expired_redirect_url' | 'geo_rules' | 'long_url' | 'pre_start_url'>>;

/** Fields to be read of each link; its addresses are longer than all the rest. */
export function listableFields(withAddresses: boolean): Record<string, 1> {
  return withAddresses ? { ...FIELDS, ...ADDRESSES } : FIELDS;
}

export function toListable(record: ListableRecord): ListableLink {
  const { long_url, pre_start_url, expired_redirect_url, geo_rules } = record;
  const { rules = [], ab_variants = [] } = record;
  return {
    id: record._id.toHexString(),
    alias: record.alias,
    hosts: record.destination_hosts ?? [],
    longUrl: long_url ?? null,
    addresses:
      long_url === undefined
        ? []
        : addressesOfLink({
            longUrl: long_url,
            preStartUrl: pre_start_url ?? null,
            expiredRedirectUrl: expired_redirect_url ?? null,
            destinations: { rules, geoRules: geo_rules ?? null, abVariants: ab_variants },
          }),
    blockedBy: record.blocked?.by ?? null,
    isExempt: record.list_exempt ?? false,
  };
}
