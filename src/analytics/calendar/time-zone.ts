import { RETIRED_ZONES } from './retired-zones';

/** Names without a region that are no retired ones. */
const PLAIN = ['UTC', 'GMT'];
const folded = new Map(
  [...PLAIN, ...RETIRED_ZONES.keys(), ...RETIRED_ZONES.values()].map((name) => [fold(name), name]),
);

/**
 * The present IANA name of a time zone, or null when there is no such zone: a present name is
 * answered as given, a retired one under its present name (contract 9.1). Case does not matter.
 */
export function timeZoneName(input: string): string | null {
  const known = folded.get(fold(input));
  if (known !== undefined) return RETIRED_ZONES.get(known) ?? known;
  // What the tz database names without a region is in the table; the rest are inventions of ICU.
  if (!/^[A-Za-z]+\/[A-Za-z0-9_+/-]+$/.test(input) || /^systemv/i.test(input)) return null;
  const canonical = canonicalName(input);
  if (canonical === null) return null;
  return fold(canonical) === fold(input) ? canonical : input;
}

function canonicalName(input: string): string | null {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: input }).resolvedOptions().timeZone;
  } catch {
    return null;
  }
}

function fold(name: string): string {
  return name.toLowerCase();
}
