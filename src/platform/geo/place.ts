import { countryName } from './country-names';

/** What the city database knows of an address; English names. */
export interface Place {
  country: string | null;
  /** ISO 3166-1 alpha-2, upper case. */
  countryCode: string | null;
  city: string | null;
}

/**
 * The place in a database record of either layout: flat (`country_code`, `city`) as in the bundled
 * database, or nested (`country.iso_code`, `country.names.en`, `city.names.en`) as in GeoLite2 and
 * DB-IP's own files. Null when the record names neither country nor city.
 */
export function placeOf(record: unknown): Place | null {
  const country = at(record, 'country');
  const code = text(at(country, 'iso_code')) ?? text(at(record, 'country_code'));
  const countryCode = code !== null && /^[A-Za-z]{2}$/.test(code) ? code.toUpperCase() : null;
  const city = at(record, 'city');
  const place = {
    country: englishName(country) ?? (countryCode === null ? null : countryName(countryCode)),
    countryCode,
    city: text(city) ?? englishName(city),
  };
  return place.country === null && place.city === null ? null : place;
}

function englishName(node: unknown): string | null {
  return text(at(at(node, 'names'), 'en'));
}

function at(node: unknown, key: string): unknown {
  return typeof node === 'object' && node !== null ? (node as Record<string, unknown>)[key] : null;
}

function text(value: unknown): string | null {
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : null;
}
