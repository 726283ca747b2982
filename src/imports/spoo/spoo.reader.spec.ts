import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import JSZip from 'jszip';
import { DEFAULT_OPTIONS, type Import } from '../import';
import { ImportFormatError } from '../plain-file';
import type { FoundRow } from '../reading/import-reader';
import { spooReader } from './spoo.reader';

/** The older form of export, as docs/contract.md#13.3 quotes it. */
const OLDER = {
  _id: 'promo',
  short_code: 'promo',
  url: 'https://example.com/a?b=1',
  'total-clicks': 12,
  total_unique_clicks: 7,
  'max-clicks': '100',
  'expiration-time': '2031-02-03 04:05:06',
  password: '********',
  'block-bots': true,
  expired: false,
  'creation-date': '2023-05-06',
  'creation-time': '07:08:09',
  counter: { '2023-05-06': 12 },
  browser: { Chrome: 12 },
};

/** An item of the list. */
const LISTED = {
  id: '64b000000000000000000001',
  alias: 'two',
  long_url: 'https://example.com/2',
  status: 'INACTIVE',
  created_at: 1_690_000_000,
  expire_after: null,
  max_clicks: null,
  private_stats: false,
  block_bots: false,
  password_set: false,
  total_clicks: 3,
  last_click: null,
  domain: 'Go.Example.com',
  geo_rules: { DE: 'https://example.de' },
  meta_tags: { title: 'Two' },
};

const GENERAL_INFO = [
  '"TOTAL CLICKS",12',
  '"URL","https://example.com/a?b=1"',
  '"SHORT CODE","\'-promo"',
  '"MAX CLICKS","100"',
  '"EXPIRATION TIME",',
  '"PASSWORD",',
  '"CREATION DATE","2023-05-06"',
  '"CREATION TIME","07:08:09"',
  '"BLOCK BOTS",true',
].join('\r\n');

async function zip(files: Record<string, string | Buffer>): Promise<Buffer> {
  const made = new JSZip();
  for (const [name, text] of Object.entries(files)) made.file(name, text, { createFolders: false });
  return made.generateAsync({ type: 'nodebuffer', compression: 'DEFLATE' });
}

const link = (n: number): string =>
  JSON.stringify({ short_code: `a${n}`, url: `https://a.test/${n}` });

describe('the reader of spoo_export', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'spoo-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  /** All rows; each page is asked for twice, as by a step that is done twice. */
  async function read(file: string | Buffer): Promise<{ rows: FoundRow[]; pages: number }> {
    const path = join(folder, 'file');
    await writeFile(path, file);
    const of = { file: { path }, options: DEFAULT_OPTIONS } as Import;
    const rows: FoundRow[] = [];
    let position: object | null = null;
    let pages = 0;
    do {
      const page = await spooReader.page(of, position, rows.length + 1);
      // A cursor is stored as JSON.
      const again = JSON.parse(JSON.stringify(position)) as object | null;
      expect(await spooReader.page(of, again, rows.length + 1)).toEqual(page);
      rows.push(...page.rows);
      expect(page.nextRow).toBe(rows.length + 1);
      pages++;
      position = page.next;
    } while (position !== null);
    return { rows, pages };
  }

  const rowsOf = async (file: string | Buffer): Promise<FoundRow[]> => (await read(file)).rows;

  it('reads the older form of export', async () => {
    expect(await rowsOf(JSON.stringify(OLDER, null, 4))).toEqual([
      {
        row: 1,
        part: 0,
        alias: 'promo',
        domain: null,
        linkId: null,
        longUrl: 'https://example.com/a?b=1',
        createdAt: new Date('2023-05-06T07:08:09Z'),
        expireAfter: new Date('2031-02-03T04:05:06Z'),
        maxClicks: 100,
        clicks: 12,
        pastClicks: 12,
        counts: {
          granularity: 'day',
          timezone: 'UTC',
          from: Date.parse('2023-05-06'),
          to: Date.parse('2023-05-07'),
          units: { starts: [Date.parse('2023-05-06')], clicks: [12] },
          by: { browser: new Map([['Chrome', 12]]) },
        },
        title: null,
        note: null,
        tagNames: [],
        isArchived: false,
        isProtected: true,
        untold: expect.arrayContaining(['title', 'note', 'tags', 'archived']),
        passwordHash: null,
        blockBots: true,
        privateStats: true,
        notes: [],
        message: null,
      },
    ]);
  });

  it('reads clicks by day and by dimension, and nothing that is no count', async () => {
    const told = {
      ...OLDER,
      'last-click': '2023-05-08 09:10:11',
      counter: {
        '2023-05-08': 3,
        '2023-05-06': 8,
        '2023-05-07': 0,
        'some day': 4,
        '9999-01-01': 2,
      },
      browser: { Chrome: 9, Edge: -4, Safari: 'many', Opera: 1.5, __proto__: 3 },
      os_name: { 'Mac OS X': 11 },
      country: { France: 6, Unknown: 5 },
      referrer: { Direct: 8, 'https://t_co': 3 },
      bots: { Googlebot: 1 },
    };
    const [row] = await rowsOf(JSON.stringify(told));
    expect(row).toMatchObject({
      counts: {
        granularity: 'day',
        from: Date.parse('2023-05-06'),
        to: Date.parse('2023-05-08T09:10:12Z'),
        units: {
          starts: ['2023-05-06', '2023-05-08'].map((day) => Date.parse(day)),
          clicks: [8, 3],
        },
        by: {
          browser: new Map([['Chrome', 9]]),
          os: new Map([['Mac OS X', 11]]),
          country: new Map([
            ['France', 6],
            ['Unknown', 5],
          ]),
          referrer: new Map([
            ['Direct', 8],
            ['https://t_co', 3],
          ]),
        },
      },
    });
    const [none] = await rowsOf(JSON.stringify({ ...OLDER, counter: [1], browser: 'Chrome' }));
    expect(none).not.toHaveProperty('counts');
  });

  it('reads items of the list, and says which features are lost', async () => {
    const [row] = await rowsOf(JSON.stringify([LISTED]));
    expect(row).toMatchObject({
      alias: 'two',
      domain: 'go.example.com',
      longUrl: 'https://example.com/2',
      createdAt: new Date(1_690_000_000_000),
      expireAfter: null,
      clicks: 3,
      isArchived: true,
      isProtected: false,
      blockBots: false,
      privateStats: false,
      settings: { destinations: { geoRules: { DE: 'https://example.de' } } },
      notes: ['feature_dropped'],
      message: '{"meta_tags":{"title":"Two"}}',
    });
  });

  it.each([
    ['no country', { XX: 'https://example.de' }],
    ['of another form', { DE: { url: 'https://example.de' } }],
    ['a list', ['https://example.de']],
  ])('says which destinations by country are lost: %s', async (_name, geo_rules) => {
    const [row] = await rowsOf(JSON.stringify({ ...LISTED, geo_rules, meta_tags: null }));
    expect(row).toMatchObject({ longUrl: 'https://example.com/2', notes: ['feature_dropped'] });
    expect(row).toHaveProperty('message', JSON.stringify({ geo_rules }));
    expect(row).not.toHaveProperty('settings');
  });

  it('reads the zip of CSV tables as one link', async () => {
    const file = await zip({
      'general_info.csv': GENERAL_INFO,
      'counter.csv': 'Date,Count\r\n2023-05-06,5\r\n2023-05-09,7\r\n',
      'referrer.csv': "Referrer,Count\r\nDirect,9\r\n'=evil,3\r\n",
    });
    expect(await rowsOf(file)).toMatchObject([
      {
        alias: '-promo',
        longUrl: 'https://example.com/a?b=1',
        createdAt: new Date('2023-05-06T07:08:09Z'),
        maxClicks: 100,
        clicks: 12,
        counts: {
          units: {
            starts: ['2023-05-06', '2023-05-09'].map((day) => Date.parse(day)),
            clicks: [5, 7],
          },
          by: {
            referrer: new Map([
              ['Direct', 9],
              ['=evil', 3],
            ]),
          },
        },
        blockBots: true,
        isProtected: false,
      },
    ]);
  });

  it.each([
    ['a list', () => Buffer.from(`[${[1, 2, 3].map(link).join(',\n')}]`)],
    ['a BOM before it', () => Buffer.from(`\ufeff[${[1, 2, 3].map(link).join()}]`)],
    ['UTF-16', () => Buffer.from(`\ufeff[${[1, 2, 3].map(link).join()}]`, 'utf16le')],
    ['one after another', () => Buffer.from([1, 2, 3].map(link).join('\n'))],
    ['gzip', () => gzipSync(`[${[1, 2, 3].map(link).join()}]`)],
    ['one packed file', () => zip({ 'links.json': `[${[1, 2, 3].map(link).join()}]` })],
    [
      'a zip of many',
      () =>
        zip({ 'x/1.json': link(1), 'README.txt': 'Hello', '2.JSON': `[${link(2)},${link(3)}]` }),
    ],
  ])('reads links in order: %s', async (_form, file) => {
    const rows = await rowsOf(await file());
    expect(rows.map((row) => ('alias' in row ? [row.row, row.alias] : row))).toEqual([
      [1, 'a1'],
      [2, 'a2'],
      [3, 'a3'],
    ]);
  });

  it('reads a long list page by page', async () => {
    const { rows, pages } = await read(
      `[${Array.from({ length: 1201 }, (_, n) => link(n)).join()}]`,
    );
    expect(rows.map((row) => 'alias' in row && row.alias)).toEqual(
      Array.from({ length: 1201 }, (_, n) => `a${n}`),
    );
    expect(pages).toBe(3);
  });

  it('goes on behind what cannot be read, and tells it', async () => {
    const long = JSON.stringify({ url: 'x', counter: 'y'.repeat(17 * 1024 * 1024) });
    const wide = JSON.stringify({ url: 'z'.repeat(70_000) });
    const odd = JSON.stringify({ short_code: 'x', url: 'https://a.test/\u0007' });
    const file = [link(1), '{"url": nothing}', long, 'words', wide, odd, link(2), '{"url": "htt'];
    const rows = await rowsOf(`[${file.join(',')}`);
    expect(rows.map((row) => ('alias' in row ? row.alias : row.problem))).toEqual([
      'a1',
      'broken JSON',
      'longer than 16 MiB',
      'text that is no object',
      'a field is longer than 64 KiB',
      'characters that are no text',
      'a2',
      'the file ends in the middle of an object',
    ]);
  });

  it('reads bytes that are not UTF-8 as Windows-1252', async () => {
    const [row] = await rowsOf(Buffer.from(link(1).replace('a1', 'caf\u00e9'), 'latin1'));
    expect(row).toMatchObject({ alias: 'café', notes: ['encoding_guessed'] });
  });

  it('survives lists within lists without end', async () => {
    const deep = `${'['.repeat(200_000)}${']'.repeat(200_000)}`;
    const rows = await rowsOf(`[{"url":"https://a.test/","geo_rules":[${deep}]},${link(2)}]`);
    expect(rows).toMatchObject([{ problem: 'JSON of more than 32 levels' }, { alias: 'a2' }]);
  });

  const NEWER = {
    summary: {
      total_clicks: 9,
      unique_clicks: 4,
      first_click: '2025-01-01T10:00:00Z',
      last_click: '2025-01-03T11:00:00Z',
      avg_redirection_time: 12.5,
    },
    metrics: {
      clicks_by_time: [
        { time: '2025-01-01', clicks: 5, clicks_percentage: 55.6 },
        { time: '2025-01-03', clicks: 4, clicks_percentage: 44.4 },
      ],
      clicks_by_country: [{ country: 'DE', clicks: 6, clicks_percentage: 66.7 }],
      clicks_by_referrer: [{ referrer: '', clicks: 9, clicks_percentage: 100 }],
    },
  };
  const series = {
    granularity: 'day',
    timezone: 'UTC',
    from: Date.parse('2025-01-01T10:00:00Z'),
    to: Date.parse('2025-01-03T11:00:00Z'),
    units: { starts: [Date.parse('2025-01-01'), Date.parse('2025-01-03')], clicks: [5, 4] },
    by: { country: new Map([['Germany', 6]]), referrer: new Map([['Direct', 9]]) },
  };

  it('reads statistics that say where their link leads', async () => {
    const about = { alias: 'new', long_url: 'https://a.test/new' };
    const rows = await rowsOf(
      JSON.stringify([
        { ...about, ...NEWER },
        { ...NEWER, summary: { ...NEWER.summary, ...about } },
        { ...about, ...NEWER, timezone: 'Asia/Tokyo' },
      ]),
    );
    const expected = { alias: 'new', longUrl: 'https://a.test/new', clicks: 9, pastClicks: 9 };
    expect(rows).toMatchObject([
      { ...expected, counts: series, message: null },
      { ...expected, counts: series, message: null },
      { ...expected, counts: { granularity: 'total', units: { starts: [] }, by: series.by } },
    ]);
  });

  it('reads the zip of statistics that say where their link leads', async () => {
    const file = await zip({
      'summary.csv':
        'Field,Value\r\nTotal Clicks,9\r\nfirst_click,2025-01-01T10:00:00Z\r\nLast click,2025-01-03T11:00:00Z\r\nAlias,new\r\nlong_url,https://a.test/new\r\n',
      'clicks_by_time.csv':
        'time,clicks,clicks_percentage\r\n2025-01-01,5,55.6\r\n2025-01-03,4,44.4\r\n',
      'clicks_by_country.csv': 'Country,Clicks\r\nDE,6\r\n',
      'referrer.csv': 'referrer,clicks\r\n"",9\r\n',
    });
    expect(await rowsOf(file)).toMatchObject([
      { alias: 'new', longUrl: 'https://a.test/new', pastClicks: 9, counts: series },
    ]);
  });

  it('tells of statistics that do not say where the link leads', async () => {
    const [row] = await rowsOf('{"summary":{"total_clicks":3},"metrics":{"clicks_by_time":[]}}');
    expect(row).toMatchObject({ longUrl: '', message: expect.stringContaining('older form') });
    await expect(rowsOf(await zip({ 'summary.csv': 'Field,Value\r\n' }))).rejects.toThrow(
      'older form',
    );
  });

  it.each([
    ['a CSV file', () => Buffer.from('alias,url\na,https://a.test/\n'), 'without a link in JSON'],
    ['an empty file', () => Buffer.alloc(0), 'empty'],
    ['other files', () => zip({ 'a.txt': 'x', 'b.png': 'y' }), '2 files'],
    [
      'a path out of it',
      () => zip({ '../a.json': link(1), 'b.json': link(2) }),
      'out of its folder',
    ],
    ['an archive within', () => zip({ 'a.zip': 'x', 'b.json': link(1) }), 'within an archive'],
    [
      'an archive of another name',
      () => zip({ 'a.json': gzipSync(link(1)), 'b.json': link(1) }),
      'within an archive',
    ],
    [
      'a bomb',
      () => zip({ 'a.json': Buffer.alloc(8 * 1024 * 1024, 32), 'b.json': link(1) }),
      'far more than it is',
    ],
    ['a table without a URL', () => zip({ 'general_info.csv': 'A,1', 'x.csv': '' }), 'no row URL'],
  ])('refuses %s', async (_name, file, message) => {
    const bytes = await file();
    await expect(rowsOf(bytes)).rejects.toThrow(ImportFormatError);
    await expect(rowsOf(bytes)).rejects.toThrow(message);
  });
});
