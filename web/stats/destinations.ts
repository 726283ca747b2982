import type { StatsRow } from './compare-rows';

/** The parts of a link that divide its visitors. */
export interface Destinations {
  readonly rules: readonly { readonly key: string }[] | null;
  readonly ab_variants: readonly { readonly key: string; readonly weight: number }[] | null;
}

/** Key of the main destination in statistics. */
export const MAIN = '(default)';
export const isVariant = (key: string): boolean => /^\d+$/.test(key);

/** Returns a variant's planned share of the split in percent; undefined without a current plan. */
export function weightOf(key: string, { ab_variants: variants }: Destinations): number | undefined {
  if (key !== MAIN) return variants?.find((variant) => variant.key === key)?.weight;
  return variants === null
    ? undefined
    : 100 - variants.reduce((sum, { weight }) => sum + weight, 0);
}

export interface DestinationRows {
  /** The A/B split, including the main destination if the variants leave visitors to it. */
  readonly split: readonly StatsRow[];
  /** Rules and countries, and the main destination if there is no split. */
  readonly ways: readonly StatsRow[];
}

export function destinationRows(rows: readonly StatsRow[], link: Destinations): DestinationRows {
  const mainIsSplit = (weightOf(MAIN, link) ?? 0) > 0;
  const isInSplit = ({ label }: StatsRow): boolean =>
    isVariant(label) || (label === MAIN && mainIsSplit);
  const [split, ways] = [rows.filter(isInSplit), rows.filter((row) => !isInSplit(row))];
  return {
    split: split.some(({ label }) => isVariant(label)) || link.ab_variants !== null ? split : [],
    ways: ways.some(({ label }) => label !== MAIN) ? ways : [],
  };
}
