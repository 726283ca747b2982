import { columnsOf, mappedColumns } from './csv/csv-fields';
import { importedAlias, keyOfLink, linksOfRow, type SourceLink } from './source-link';

function read(header: string, row: string, timezone = 'UTC'): SourceLink[] {
  return linksOfRow(2, row.split('|'), columnsOf(header.split('|')), { timezone });
}

const one = (header: string, row: string, timezone?: string): SourceLink =>
  read(header, row, timezone)[0] as SourceLink;

describe('a link of a source', () => {
  it.each([
    [
      'YOURLS',
      'keyword|url|title|timestamp|ip|clicks',
      'ozh|https://a.test/|Ozh|2021-01-01 00:00:00|::1|7',
    ],
    [
      'Shlink',
      'createdAt|domain|shortCode|shortUrl|longUrl|title|tags|visits',
      '2021-01-01T01:00:00+01:00||ozh|https://s.test/ozh|https://a.test/|Ozh||7',
    ],
    [
      'Dub',
      'Short link|Destination URL|Clicks|Leads|Created at|Title',
      'https://s.test/ozh|https://a.test/|7|0|2021-01-01T00:00:00.000Z|Ozh',
    ],
    [
      'Bitly',
      'Bitlink|Long URL|Title|Tags|Created|Total Clicks',
      'bit.ly/ozh|https://a.test/|Ozh||2021-01-01T00:00:00+0000|7',
    ],
    [
      'a table',
      'Title|Back-half|TARGET_URL|visit count|Date',
      'Ozh|ozh|https://a.test/|7|1609459200',
    ],
  ])('is found by the headers of %s', (_name, header, row) => {
    expect(one(header, row)).toMatchObject({
      alias: 'ozh',
      longUrl: 'https://a.test/',
      title: 'Ozh',
      clicks: 7,
      createdAt: new Date('2021-01-01T00:00:00Z'),
      notes: [],
    });
  });

  it('has a custom back-half beside its own', () => {
    const header = 'Link|Custom Link|Destination URL';
    const both = read(header, 'bit.ly/3xYz|https://bit.ly/sale|https://a.test/');
    expect(both.map(({ alias, domain, part }) => [alias, domain, part])).toEqual([
      ['3xYz', 'bit.ly', 0],
      ['sale', 'bit.ly', 1],
    ]);
    expect(read(header, 'bit.ly/3xYz||https://a.test/')).toHaveLength(1);
    expect(read(header, '|bit.ly/sale|https://a.test/')).toMatchObject([
      { alias: 'sale', part: 0 },
    ]);
  });

  it('says what was left out', () => {
    const header = 'url|title|tags|note|created|expires';
    const tags = Array.from({ length: 25 }, (_, i) => `t${i}`).join(',');
    const link = one(header, `https://a.test/|${'x'.repeat(300)}|${tags}|ok\u0007|2999-01-01|soon`);
    expect(link.notes).toEqual(['time_unreadable', 'feature_dropped']);
    expect([link.title?.length, link.tagNames.length, link.note]).toEqual([200, 20, null]);
    expect([link.createdAt, link.expireAfter]).toEqual([null, null]);
    expect(JSON.parse(link.message ?? '')).toMatchObject({ expire_after: 'soon' });
  });

  it.each([
    ['2021-07-01 12:00:00', 'Europe/Paris', '2021-07-01T10:00:00Z'],
    ['2021-01-01 12:00', 'America/New_York', '2021-01-01T17:00:00Z'],
    ['2021-01-01', 'Asia/Tokyo', '2020-12-31T15:00:00Z'],
    ['2021-07-01T12:00:00Z', 'Europe/Paris', '2021-07-01T12:00:00Z'],
    ['2021-07-01 12:00:00+02', 'Asia/Tokyo', '2021-07-01T10:00:00Z'],
    ['2021-07-01T12:00:00.5-05:00', 'Asia/Tokyo', '2021-07-01T17:00:00Z'],
    ['1625133600', 'Asia/Tokyo', '2021-07-01T10:00:00Z'],
    // Passed over in spring, and shown twice in autumn.
    ['2021-03-28 02:30:00', 'Europe/Paris', '2021-03-28T01:30:00Z'],
    ['2021-10-31 02:30:00', 'Europe/Paris', '2021-10-31T00:30:00Z'],
  ])('was made at %s of %s', (text, zone, at) => {
    expect(one('url|created', `https://a.test/|${text}`, zone).createdAt).toEqual(new Date(at));
  });

  it.each([
    ['', false],
    ['No', false],
    ['false', false],
    ['Yes', true],
    ['secret', true],
  ])('with %j in a column of passwords has one: %s', (text, isProtected) => {
    expect(one('url|password', `https://a.test/|${text}`)).toMatchObject({ isProtected });
  });

  it.each([
    ['a', 'a'],
    ['a.b~c_d-e', 'a.b~c_d-e'],
    ['x'.repeat(128), 'x'.repeat(128)],
    ['❤\ufe0f', '❤'],
    ['sale🚀', 'sale🚀'],
    ['Stats2', 'Stats2'],
    ['login2', 'login2'],
    ['about', 'about'],
  ])('keeps the alias %s', (text, alias) => {
    expect(importedAlias(text)).toEqual({ alias });
  });

  it.each([
    ['.', 'alias_unsupported'],
    ['..', 'alias_unsupported'],
    ['a/b', 'alias_unsupported'],
    ['a b', 'alias_unsupported'],
    ['a+', 'alias_unsupported'],
    ['é', 'alias_unsupported'],
    ['x'.repeat(129), 'alias_unsupported'],
    ['api', 'alias_reserved'],
    ['Dashboard', 'alias_reserved'],
    ['favicon.ico', 'alias_reserved'],
  ])('cannot have the alias %s: %s', (text, verdict) => {
    expect(importedAlias(text)).toMatchObject({ verdict });
  });

  it('is known again by what its source calls it', () => {
    const link = one('short url|url|link id', 'https://s.test/a|https://a.test/|lnk_1');
    expect(keyOfLink('csv', link, 'a')).toBe('s.test/a');
    expect(keyOfLink('yourls_csv', link, 'a')).toBe('a');
    expect(keyOfLink('dub_csv', link, 'a')).toBe('lnk_1');
    expect(keyOfLink('csv', link, null)).toBeNull();
  });

  it('has its columns where they are said by hand', () => {
    const header = ['A', 'B', 'Title'];
    const { columns } = mappedColumns(header, { long_url: 'B', title: null });
    expect(columns).toEqual({ long_url: 1 });
    expect(mappedColumns(header, { alias: 'C' }).unknown).toBe('C');
  });
});
