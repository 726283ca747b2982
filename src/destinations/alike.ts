import { isDeepStrictEqual } from 'node:util';
import type { NewDestinations, NewVariant } from './destinations';

/** Whether a link leads as asked, whatever names its rules and variants have got by themselves. */
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
