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
  if (name === 'referrer') return value.replace(/^https?:\/\/(?:www\.)?/, '');
  if (name === 'device') return value.charAt(0).toUpperCase() + value.slice(1);
  return WORDS[name]?.[value] ?? value;
}

const codes = new Map([...COUNTRIES].map(([name, code]) => [name.toLocaleLowerCase(), code]));
const REGIONAL_A = 0x1f1e6 - 'A'.charCodeAt(0);

/** Returns a country's flag as text; empty for an unknown name. Some systems show its two letters. */
export function flagOf(country: string): string {
  const code = codes.get(country.toLocaleLowerCase()) ?? '';
  return code.replace(/[A-Z]/g, (letter) =>
    String.fromCodePoint(letter.charCodeAt(0) + REGIONAL_A),
  );
}
