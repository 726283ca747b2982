import cldr from 'cldr-bcp47/bcp47/timezone.json';

interface CldrZone {
  readonly _alias?: string;
  /** The current name; absent if it is the first name in `_alias`. */
  readonly _iana?: string;
}

/** Names that the contract preserves although CLDR replaces them. */
const KEPT_NAMES = ['UTC', 'GMT'];

const zones = Object.entries(cldr.keyword.u.tz as Record<string, CldrZone | string>)
  .filter(([key]) => key !== 'unk')
  .map(([, zone]) => (typeof zone === 'string' ? {} : zone));

export const RETIRED_ZONES: ReadonlyMap<string, string> = new Map(
  zones.flatMap(({ _alias = '', _iana }) => {
    const names = _alias.split(' ');
    const present = _iana ?? names[0] ?? '';
    return names
      .filter((name) => name !== present && !KEPT_NAMES.includes(name))
      .map((name) => [name, present] as const);
  }),
);

const namesByFold = new Map(
  [...KEPT_NAMES, ...RETIRED_ZONES.keys(), ...RETIRED_ZONES.values()].map((name) => [
    fold(name),
    name,
  ]),
);

/** Ignores case and replaces retired names with current names (docs/contract.md#9.1). */
export function timeZoneName(input: string): string | null {
  const known = namesByFold.get(fold(input));
  if (known !== undefined) return RETIRED_ZONES.get(known) ?? known;
  // CLDR lists all tz database names without a region; other such names exist only in ICU.
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
