import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { countryName, GeoDatabaseError, GeoReader, placeFromRecord } from './geo.reader';

const nowhere = { country: null, countryCode: null, city: null };

describe('The bundled city database', () => {
  let geo: GeoReader;
  beforeAll(() => {
    geo = GeoReader.open();
  });
  afterAll(() => geo.close());

  it.each([
    ['8.8.8.8', { country: 'United States', countryCode: 'US', city: 'Mountain View' }],
    ['::ffff:8.8.8.8', { country: 'United States', countryCode: 'US', city: 'Mountain View' }],
    ['81.2.69.142', { country: 'United Kingdom', countryCode: 'GB', city: 'London' }],
    ['91.198.174.192', { country: 'Netherlands', countryCode: 'NL', city: 'Amsterdam' }],
    [
      '2a00:1450:4001:811::200e',
      { country: 'Germany', countryCode: 'DE', city: 'Frankfurt am Main' },
    ],
  ])('locates %s', (ip, place) => {
    expect(geo.locate(ip)).toEqual(place);
    expect(geo.locate(ip)).toEqual(place);
  });

  it.each(['127.0.0.1', '10.1.2.3', '192.168.0.1', '::1', 'fd00::1', 'fe80::1%eth0'])(
    'finds no location for the private address %s',
    (ip) => expect(geo.locate(ip)).toEqual(nowhere),
  );

  it.each(['', 'unknown', '8.8.8', '8.8.8.8.8', '::ffff:8.8.8.999', '\0', 'a'.repeat(10_000)])(
    'finds no location for %j, which is not an address',
    (ip) => expect(geo.locate(ip)).toEqual(nowhere),
  );
});

describe('A custom city database', () => {
  it('that is missing or invalid is rejected with its file name', () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'curtail-geo-'));
    const file = path.join(folder, 'city.mmdb');
    expect(() => GeoReader.open(file)).toThrow(GeoDatabaseError);
    expect(() => GeoReader.open(folder)).toThrow(
      'cannot be read as a city database (it is not a file)',
    );
    writeFileSync(file, 'no database');
    expect(() => GeoReader.open(file)).toThrow(
      `GEOIP_DB=${JSON.stringify(file)}: cannot be read as a city database (it is not an MMDB file)`,
    );
    rmSync(folder, { recursive: true });
  });

  it('can also have the nested layout', () => {
    const record = {
      country: { iso_code: 'NL', names: { de: 'Niederlande', en: 'The Netherlands' } },
      city: { names: { de: 'Den Haag', en: 'The Hague' } },
    };
    expect(placeFromRecord(record)).toEqual({
      country: 'The Netherlands',
      countryCode: 'NL',
      city: 'The Hague',
    });
    expect(placeFromRecord({ country: { iso_code: 'NL' } })?.country).toBe('Netherlands');
  });

  it.each([null, undefined, 7, {}, { city: '', country_code: '' }, { country_code: 12 }])(
    'with the record %j has no location',
    (record) => expect(placeFromRecord(record)).toBeNull(),
  );
});

describe('A country name', () => {
  it.each([
    ['DE', 'Germany'],
    ['US', 'United States'],
    ['HK', 'Hong Kong'],
    ['TT', 'Trinidad and Tobago'],
    ['XK', 'Kosovo'],
  ])('of %s is %s', (code, name) => expect(countryName(code)).toBe(name));

  it.each(['ZZ', 'QQ', 'de', 'DEU', ''])('does not exist for %j', (code) =>
    expect(countryName(code)).toBeNull(),
  );
});
