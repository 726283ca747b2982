import { mongo } from 'mongoose';
import {
  type Destinations,
  type GeoRules,
  type NamedDestination,
  NO_DESTINATIONS,
  type Rule,
  type Variant,
} from '../../destinations/destinations';
import { changesAddresses } from './destination-hosts';
import type { Link, LinkChange } from './link';

/** A variant with its share of visitors: one byte for each hundredth assigned to it. */
type StoredVariant = Omit<Variant, 'shares'> & { readonly shares: mongo.Binary };

export interface StoredDestinations {
  rules?: readonly Rule[];
  geo_rules?: GeoRules;
  ab_variants?: readonly StoredVariant[];
  /** Highest keys ever assigned; absent before the first. */
  rule_seq?: number;
  variant_seq?: number;
  /** Deleted rules and variants, oldest first. */
  variants_gone?: readonly NamedDestination[];
}

export function toStoredDestinations({
  rules,
  geoRules,
  abVariants,
  ruleSeq,
  variantSeq,
  goneDestinations,
}: Destinations): {
  readonly [Field in keyof StoredDestinations]-?: NonNullable<StoredDestinations[Field]> | null;
} {
  const nullIfEmpty = <T>(list: readonly T[]): readonly T[] | null =>
    list.length === 0 ? null : list;
  const variants = abVariants.map(({ shares, ...variant }) => ({
    ...variant,
    shares: new mongo.Binary(Uint8Array.from(shares)),
  }));
  return {
    rules: nullIfEmpty(rules),
    geo_rules: geoRules,
    ab_variants: nullIfEmpty(variants),
    rule_seq: ruleSeq || null,
    variant_seq: variantSeq || null,
    variants_gone: nullIfEmpty(goneDestinations),
  };
}

export function toDestinations(record: StoredDestinations): Destinations {
  const { rules, geo_rules, ab_variants, rule_seq, variant_seq, variants_gone } = record;
  const isPlain = !rules && !geo_rules && !ab_variants && !variants_gone;
  if (isPlain && !rule_seq && !variant_seq) return NO_DESTINATIONS;
  return {
    rules: rules ?? [],
    geoRules: geo_rules ?? null,
    abVariants: (ab_variants ?? []).map(({ shares, ...variant }) => ({
      ...variant,
      shares: [...shares.value()],
    })),
    ruleSeq: rule_seq ?? 0,
    variantSeq: variant_seq ?? 0,
    goneDestinations: variants_gone ?? [],
  };
}

/** If the change contains destinations, matches only a link whose destinations are unchanged. */
export function addressesAsRead(link: Link, change: LinkChange): object {
  if (!changesAddresses(change)) return {};
  const { rules, geo_rules, ab_variants } = toStoredDestinations(link.destinations);
  const { ruleSeq, variantSeq } = link.destinations;
  const absent = { $exists: false };
  return {
    long_url: link.longUrl,
    pre_start_url: link.preStartUrl ?? absent,
    expired_redirect_url: link.expiredRedirectUrl ?? absent,
    rules: rules ?? absent,
    geo_rules: geo_rules ?? absent,
    ab_variants: ab_variants ?? absent,
    rule_seq: ruleSeq || absent,
    variant_seq: variantSeq || absent,
  };
}
