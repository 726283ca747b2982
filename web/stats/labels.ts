import { referrerLabel } from '../../src/analytics/report/referrer-label';
import { COUNTRIES } from '../parts/condition-offers';
import { texts } from '../texts';
import { type Destinations, isVariant, MAIN } from './destinations';
import type { Dimension } from './stats-query';

const WORDS: Partial<Record<Dimension, Readonly<Record<string, string>>>> = {
  audience: texts.stats.audiences,
  trigger: texts.stats.triggers,
};

/** Returns a destination's name. Keys that the owner chose are names. */
function destinationName(key: string, link: Destinations | undefined): string {
  const t = texts.stats.destinations;
  if (key === MAIN) return t.main;
  if (key === 'geo') return t.country;
  if (isVariant(key)) return t.variant(key);
  if (!/^r\d+$/.test(key)) return key;
  const place = link?.rules?.findIndex((rule) => rule.key === key) ?? -1;
  return place < 0 ? t.removedRule : texts.rules.rule(place + 1, null);
}

/** @param link the link whose destinations are named */
export function labelOf(name: Dimension, value: string, link?: Destinations): string {
  if (name === 'variant') return destinationName(value, link);
  if (name === 'referrer') return referrerLabel(value);
  if (name === 'device') return value.charAt(0).toUpperCase() + value.slice(1);
  return WORDS[name]?.[value] ?? value;
}

const codes = new Map([...COUNTRIES].map(([name, code]) => [name.toLocaleLowerCase(), code]));

/** Returns a country's two letters, because few systems can show flags; empty if unknown. */
export const countryCode = (country: string): string =>
  codes.get(country.toLocaleLowerCase()) ?? '';
