const names = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' });

/** Where the standard's English is longer than the name that everybody uses. */
const USUAL: Readonly<Record<string, string>> = {
  BA: 'Bosnia and Herzegovina',
  CD: 'DR Congo',
  CG: 'Republic of the Congo',
  HK: 'Hong Kong',
  MM: 'Myanmar',
  MO: 'Macao',
  PS: 'Palestine',
};

/** English name of a country by its ISO 3166-1 alpha-2 code; null for what is no country. */
export function countryName(code: string): string | null {
  if (!/^[A-Z]{2}$/.test(code) || code === 'ZZ') return null;
  return USUAL[code] ?? names.of(code)?.replaceAll(' & ', ' and ') ?? null;
}
