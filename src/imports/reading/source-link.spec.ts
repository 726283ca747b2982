import { columnsFromHeader, mappedColumns } from './csv-fields';
import { importedAlias, keyOfLink, linksOfRow, type SourceLink } from './source-link';

function read(header: string, row: string, timezone = 'UTC'): SourceLink[] {
  return linksOfRow(2, row.split('|'), columnsFromHeader(header.split('|')), { timezone });
}

const one = (header: string, row: string, timezone?: string): SourceLink =>
  read(header, row, timezone)[0] as SourceLink;

describe('a link from another service', () => {
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
  ])('is recognised by the header row of %s', (_name, header, row) => {
    expect(one(header, row)).toMatchObject({
      alias: 'ozh',
      longUrl: 'https://a.test/',
      title: 'Ozh',
      clicks: 7,
      createdAt: new Date('2021-01-01T00:00:00Z'),
      notes: [],
    });
  });

  it.each([
    ["YOURLS' export plugin", 'source|target|hits', '/ozh/|https://a.test/|7'],
    ['Redirection', 'source|target|regex|code|hits', '/ozh|https://a.test/|0|301|7'],
    ['a table of redirects', 'Source URL|Target URL|Code|Hits', '/ozh|https://a.test/|301|7'],
    ['Lstu', 'short|url|counter', 'ozh|https://a.test/|7'],
    ['short URLs without a scheme', 'alias|url|clicks', 's.test/ozh/|https://a.test/|7'],
    ['Rebrandly', 'slashtag|destination|title|clicks', 'ozh|https://a.test/|Ozh|7'],
    ['Short.io', 'originalURL|path|title|clicks', 'https://a.test/|ozh|Ozh|7'],
    ['T.LY', 'Short ID|Long URL|Clicks', 'ozh|https://a.test/|7'],
    ['Dub by its API', 'domain|key|url|clicks', 's.test|ozh|https://a.test/|7'],
    ['TinyURL', 'Tiny URL|Long URL|Hits', 'https://s.test/ozh|https://a.test/|7'],
    ['Polr', 'id|short_url|long_url|clicks|is_disabled', '3|ozh|https://a.test/|7|0'],
    ['Kutt', 'address|target|visit_count', 'ozh|https://a.test/|7'],
    ['BL.INK', 'short_link|url|clicks', 's.test/ozh|https://a.test/|7'],
    ['Sniply', 'Snip URL|Destination URL|Clicks', 'https://s.test/ozh|https://a.test/|7'],
    ['Pretty Links', 'id|url|slug|name|clicks', '3|https://a.test/|ozh|Ozh|7'],
    ['Bitly by its API', 'custom_bitlinks|long_url|clicks', '["s.test/ozh"]|https://a.test/|7'],
  ])('has the short URL in the file of %s', (_name, header, row) => {
    expect(one(header, row)).toMatchObject({
      alias: 'ozh',
      longUrl: 'https://a.test/',
      pastClicks: 7,
      notes: [],
    });
  });

  it.each([
    ['alias', '/abc1/', 'abc1'],
    ['alias', 'abc1/', 'abc1'],
    ['alias', 'https://s.test/abc1/', 'abc1'],
    ['alias', '//abc1//', 'abc1'],
    ['alias', 'v1.2', 'v1.2'],
    ['alias', '/%F0%9F%9A%80/', '🚀'],
    ['alias', '/', '/'],
    ['alias', '/a/b/', 'a/b'],
    ['short url', '/abc1/', 'abc1'],
    ['short url', 's.test//abc1', 'abc1'],
    ['custom link', '/abc1', 'abc1'],
  ])('has in column %s the path %s: %s', (header, text, alias) => {
    expect(one(`url|${header}`, `https://a.test/|${text}`).alias).toBe(alias);
  });

  it.each([
    ['1,000', 1000],
    ['1.000', 1000],
    ['1 000', 1000],
    ['1\u202f000', 1000],
    ["1'000", 1000],
    ['1,234,567', 1_234_567],
    ['1,23,456', 123_456],
    ['1,000.00', 1000],
    ['1.000,00', 1000],
    ['5.0', 5],
    ['007', 7],
    ['99999999999', 99_999_999_999],
    ['0', null],
    ['unlimited', null],
    ['-', null],
  ])('may be visited %s times: %s', (text, maxClicks) => {
    const link = one('url|alias|max clicks', `https://a.test/|a|${text}`);
    expect(link).toMatchObject({ maxClicks, notes: [] });
  });

  it.each(['1.5', '12,34', '1,000,00', '1,0000', '0,123', '1,234.567', '1k', '-5', '10²', '1e3'])(
    'has a remark that the number %s was dropped',
    (text) => {
      const link = one('url|alias|max clicks|clicks', `https://a.test/|a|${text}|${text}`);
      expect(link).toMatchObject({ maxClicks: null, clicks: 0, notes: ['feature_dropped'] });
      expect(JSON.parse(link.message ?? '')).toEqual({ max_clicks: text, clicks: text });
    },
  );

  it.each(['99999999999', '2147483648', '1,000,000,000,000', '9'.repeat(40)])(
    'has a remark that the number %s was reduced',
    (text) => {
      const link = one('url|alias|clicks', `https://a.test/|a|${text}`);
      const max = 2_147_483_647;
      expect(link).toMatchObject({ clicks: max, notes: ['feature_dropped'] });
      expect(JSON.parse(link.message ?? '')).toEqual({
        clicks: `${text}, reduced to ${max}`,
      });
    },
  );

  it.each([
    ['["news","sale"]', ['news', 'sale']],
    ["['news', 'sale']", ['news', 'sale']],
    ['[{"id":"t1","name":"news"}]', ['news']],
    ['[2024]', ['2024']],
    ['["news",null]', ['news']],
    ["['news', None]", ['news']],
    ['[null]', []],
    ['{news,sale}', ['news', 'sale']],
    ['{news,"a \\"big\\" sale",NULL}', ['news', 'a "big" sale']],
    ['{a},{b}', ['{a}', '{b}']],
    ['{"summer sale",news}', ['summer sale', 'news']],
    ['{news}', ['news']],
    ['{draft}, news', ['{draft}', 'news']],
    ['news, sale', ['news', 'sale']],
    ['[draft], news', ['[draft]', 'news']],
    ['[news, sale]', ['news', 'sale']],
    ["('news', 'sale')", ['news', 'sale']],
    ['["news","sale",]', ['news', 'sale']],
    ['"news","sale"', ['news', 'sale']],
    ['news; sale', ['news', 'sale']],
    ['[draft]', ['[draft]']],
    ['\\N', []],
    ['(none)', []],
    ['[]', []],
    ['null', []],
    ['None', []],
    ['N/A', []],
    ['-', []],
    ['', []],
  ])('with the tags %s has the tags %j', (text, tagNames) => {
    expect(one('url|alias|tags', `https://a.test/|a|${text}`)).toMatchObject({
      tagNames,
      notes: [],
    });
  });

  it('has a custom back-half in addition to its own alias', () => {
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

  it('has a remark about each dropped value', () => {
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
    // 02:30 does not exist in spring and occurs twice in autumn.
    ['2021-03-28 02:30:00', 'Europe/Paris', '2021-03-28T01:30:00Z'],
    ['2021-10-31 02:30:00', 'Europe/Paris', '2021-10-31T00:30:00Z'],
  ])('has the creation time %s according to %s', (text, zone, at) => {
    expect(one('url|created', `https://a.test/|${text}`, zone).createdAt).toEqual(new Date(at));
  });

  it.each([
    ['', false],
    ['No', false],
    ['false', false],
    ['Yes', true],
    ['secret', true],
  ])('with %j in the password column has a password: %s', (text, isProtected) => {
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

  it("is identified by the source's identifier", () => {
    const link = one('short url|url|link id', 'https://s.test/a|https://a.test/|lnk_1');
    expect(keyOfLink('csv', link, 'a')).toBe('s.test/a');
    expect(keyOfLink('yourls_csv', link, 'a')).toBe('a');
    expect(keyOfLink('dub_csv', link, 'a')).toBe('lnk_1');
    expect(keyOfLink('csv', link, null)).toBeNull();
  });

  it('is read from the columns that the request assigns', () => {
    const header = ['A', 'B', 'Title'];
    const { columns } = mappedColumns(header, { long_url: 'B', title: null });
    expect(columns).toEqual({ long_url: 1 });
    expect(mappedColumns(header, { alias: 'C' }).unknown).toBe('C');
  });
});
