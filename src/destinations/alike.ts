import { isDeepStrictEqual } from 'node:util';
import type { NewDestinations, NewVariant } from './destinations';

/** Compares destinations, ignoring the generated keys of rules and variants. */
export function isAlike(requested: NewDestinations, link: NewDestinations): boolean {
  const { rules, geoRules, abVariants } = link;
  return isDeepStrictEqual(
    [requested.geoRules, requested.abVariants.map(plainVariant), requested.rules],
    [
      geoRules,
      abVariants.map(plainVariant),
      rules.map(({ key, when, to }, i) =>
        requested.rules[i]?.key === undefined ? { when, to } : { key, when, to },
      ),
    ],
  );
}

const plainVariant = ({ url, weight }: NewVariant): NewVariant => ({ url, weight });
