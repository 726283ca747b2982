import { isDeepStrictEqual } from 'node:util';
import type { NewDestinations, NewVariant } from './destinations';

/** Whether a link leads as asked, whatever names its rules and variants have got by themselves. */
export function isAlike(asked: NewDestinations, link: NewDestinations): boolean {
  const { rules, geoRules, abVariants } = link;
  return isDeepStrictEqual(
    [asked.geoRules, asked.abVariants.map(plainVariant), asked.rules],
    [
      geoRules,
      abVariants.map(plainVariant),
      rules.map(({ key, when, to }, i) =>
        asked.rules[i]?.key === undefined ? { when, to } : { key, when, to },
      ),
    ],
  );
}

const plainVariant = ({ url, weight }: NewVariant): NewVariant => ({ url, weight });
