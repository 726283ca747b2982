import { appendFileSync, existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { DEFAULT_OPTIONS, type Import } from '../../store/import';
import { type FoundRow, MAX_PAGE_ROWS } from '../../reading/import-reader';
import { type DumpIndex, readDumpIndex } from './dump-index';
import { dumpReader, type DumpSource } from './dump.reader';
import { KUTT, YOURLS } from './dump-sources';
import { FileWindow } from '../../reading/file-window';
import { ImportFormatError } from '../../reading/source.errors';

const FIXTURES = join(__dirname, '../../../../test/fixtures/dumps');
const URL_TABLE = 'CREATE TABLE `u` (`keyword` varchar(9), `url` text);\n';

describe('dumpReader', () => {
  const folder = mkdtempSync(join(tmpdir(), 'curtail-dumps-'));
  let files = 0;
  afterAll(() => rmSync(folder, { recursive: true }));

  function stored(content: string | Buffer): Import {
    const path = join(folder, `dump-${++files}`);
    writeFileSync(path, content);
    return { file: { path }, options: DEFAULT_OPTIONS } as unknown as Import;
  }

  /** Reads all rows; a new reader reads each page, given only the position. */
  async function rowsOf(of: Import, source: DumpSource = YOURLS): Promise<FoundRow[]> {
    const rows: FoundRow[] = [];
    let position: object | null = null;
    let row = 1;
    do {
      const page = await dumpReader(source).page(of, position, row);
      rows.push(...page.rows);
      row = page.nextRow;
      position = JSON.parse(JSON.stringify(page.next)) as object | null;
    } while (position !== null);
    return rows;
  }

  const fixture = async (name: string): Promise<Import> =>
    stored(await readFile(join(FIXTURES, name)));

  it('reads a dump of YOURLS by mysqldump, including unknown statements', async () => {
    const rows = await rowsOf(await fixture('yourls-mysqldump.sql'));
    expect(rows).toMatchObject([
      {
        row: 1,
        alias: 'ozh',
        longUrl: 'http://ozh.org/?a=1&b=(2)',
        title: 'Ozh\'s "site"; -- with /* marks */',
        createdAt: new Date('2020-05-06T07:08:09Z'),
        clicks: 2,
      },
      { row: 2, alias: 'with.dot~1', longUrl: 'https://example.com/\\back', title: '日本語' },
      { row: 3, alias: 'formula', title: "=cmd|' /C calc'!A0", notes: ['time_unreadable'] },
      { row: 4, alias: 'late', title: null, clicks: 1 },
    ]);
  });

  it('reads a dump of Kutt by pg_dump, with domains, passwords and times', async () => {
    const rows = await rowsOf(await fixture('kutt-pg_dump.sql'), KUTT);
    expect(rows).toMatchObject([
      {
        alias: 'Kutt1',
        linkId: '11111111-1111-4111-8111-111111111111',
        note: 'two\nlines\\and a\ttab',
        createdAt: new Date('2022-01-02T03:04:05Z'),
        clicks: 4,
        domain: null,
        isArchived: false,
      },
      {
        alias: 'banned',
        domain: 'go.example.com',
        isArchived: true,
        createdAt: new Date('2022-01-03T01:04:05Z'),
        expireAfter: new Date('2030-01-01T00:00:00Z'),
      },
      { alias: 'locked', isProtected: false, passwordHash: expect.stringContaining('$2b$10$') },
    ]);
  });

  it('reads times of Kutt, which are in UTC except in dumps of MySQL', async () => {
    const of = { ...(await fixture('kutt-pg_dump.sql')), createdAt: new Date() };
    const reader = dumpReader(KUTT);
    expect(await reader.visits?.page(of, 0, null)).toEqual({
      visits: [],
      counts: [
        {
          key: '1',
          clicks: 2,
          unread: 0,
          counts: {
            granularity: 'hour',
            timezone: 'UTC',
            from: Date.parse('2022-01-05T10:11:12Z'),
            to: Date.parse('2022-01-05T11:00:00Z'),
            units: { starts: [Date.parse('2022-01-05T10:00:00Z')], clicks: [2] },
            by: {
              browser: new Map([['Chrome', 2]]),
              os: new Map([['Windows', 2]]),
              country: new Map([['United States', 2]]),
              referrer: new Map([['Direct', 2]]),
            },
          },
        },
      ],
      next: null,
    });
  });

  it('reads the output of sqlite3', async () => {
    const rows = await rowsOf(await fixture('kutt-sqlite.sql'), KUTT);
    expect(rows).toMatchObject([
      { alias: 'sq1', note: "it's a back\\slash", domain: 's.example.org', clicks: 3 },
      { alias: 'sq2', note: 'two\nlines', isArchived: true },
    ]);
  });

  it('reads INSERT statements by pg_dump, and accepts only hashes as passwords', async () => {
    const rows = await rowsOf(await fixture('kutt-pg_inserts.sql'), KUTT);
    expect(rows).toMatchObject([
      { alias: 'ins1', note: "tab\there 'quoted' \\x", isProtected: false },
      { alias: 'ins2', note: 'back\\slash', isProtected: true, passwordHash: null },
    ]);
  });

  it('reads the same rows from a compressed dump and from a dump in many pages', async () => {
    const content = await readFile(join(FIXTURES, 'yourls-mysqldump.sql'));
    const of = stored(content);
    expect(await rowsOf(stored(gzipSync(content)))).toEqual(await rowsOf(of));
    // PowerShell writes redirected output as UTF-16.
    const wide = Buffer.from(`\ufeff${content.toString()}`, 'utf16le');
    expect(await rowsOf(stored(wide))).toEqual(await rowsOf(of));
    const many = Array.from({ length: 1700 }, (_, i) => `('k${i}','https://a.test/${i}')`);
    const one = `${URL_TABLE}INSERT INTO u VALUES ${many.join(',')};`;
    const each = URL_TABLE + many.map((row) => `INSERT INTO \`u\` VALUES ${row};\n`).join('');
    const expected = many.map((_, i) => ({ row: i + 1, alias: `k${i}` }));
    for (const text of [one, each]) expect(await rowsOf(stored(text))).toMatchObject(expected);
  });

  it('reports unreadable rows and continues with the next row', async () => {
    const broken = [
      `${URL_TABLE}INSERT INTO u VALUES ('a','https://a.test/1'),('b'),('c',1+1);`,
      "INSERT INTO u VALUES ('d','https://a.test/4'),('e','open;",
      "INSERT INTO u VALUES ('f','https://a.test/6'),('g','https://a.test/7'",
    ].join('\n');
    const rows = await rowsOf(stored(broken));
    expect(rows.map((row) => ('problem' in row ? row.problem : row.alias))).toEqual([
      'a',
      '1 values, but the table has 2 columns',
      expect.stringContaining(')'),
      'd',
      'SQL that cannot be read',
      'f',
      'SQL that cannot be read',
    ]);
  });

  it('skips rows that are too long, and reads bytes that are not UTF-8', async () => {
    const before = Buffer.from(`${URL_TABLE}INSERT INTO u VALUES ('a','`);
    const field = 'y'.repeat(70_000);
    const rest = Buffer.from(`'),('b','${field}'),('c','https://a.test/caf\u00e9');`, 'latin1');
    const parts = Array(6).fill('x'.repeat(500_000)).join("',1),('x','");
    const rows = await rowsOf(stored(Buffer.concat([before, Buffer.from(parts), rest])));
    const problems = rows.map((row) => ('problem' in row ? row.problem : row.notes));
    expect(problems.at(-2)).toBe('a field is longer than 64 KiB');
    expect(problems.at(-1)).toEqual(['encoding_guessed']);
    expect(rows.at(-1)).toMatchObject({ longUrl: 'https://a.test/caf\u00e9' });
  });

  it('reads an INSERT statement of 28 MB with only a few rows in memory', async () => {
    const path = join(folder, `dump-${++files}`);
    const long = 'x'.repeat(8000);
    const lines = (from: number, count: number): string =>
      Array.from({ length: count }, (_, i) => `('k${from + i}','https://a.test/${long}')`).join(
        ',',
      );
    writeFileSync(path, `${URL_TABLE}INSERT INTO \`u\` VALUES `);
    const [many, some] = [3500, 500];
    for (let from = 0; from < many; from += some) {
      appendFileSync(path, `${from === 0 ? '' : ','}${lines(from, some)}`);
    }
    appendFileSync(path, ';\n');
    expect(statSync(path).size).toBeGreaterThan(28_000_000);

    // The number of bytes from the file that are in memory.
    // eslint-disable-next-line @typescript-eslint/unbound-method -- called with its window
    const { extend } = FileWindow.prototype;
    let held = 0;
    const spy = jest.spyOn(FileWindow.prototype, 'extend').mockImplementation(async function (
      this: FileWindow,
    ) {
      await extend.call(this);
      held = Math.max(held, this.bytes.length);
    });
    const of = { file: { path }, options: DEFAULT_OPTIONS } as unknown as Import;
    let position: object | null = null;
    let [row, pages] = [1, 0];
    try {
      do {
        const page = await dumpReader(YOURLS).page(of, position, row);
        expect(page.rows.length).toBeLessThanOrEqual(MAX_PAGE_ROWS);
        for (const [i, one] of page.rows.entries()) {
          if (!('alias' in one) || one.alias !== `k${row - 1 + i}`)
            expect(one).toBe(`row ${row + i}`);
        }
        row = page.nextRow;
        position = page.next;
        pages++;
      } while (position !== null);
    } finally {
      spy.mockRestore();
      rmSync(path);
    }
    expect(row - 1).toBe(many);
    expect(pages).toBeGreaterThanOrEqual(7);
    expect(held).toBeGreaterThan(0);
    expect(held).toBeLessThan(4 * 1024 * 1024);
  }, 120_000);

  it.each(['yourls-mysqldump.sql', 'kutt-pg_dump.sql', 'kutt-sqlite.sql'])(
    'indexes %s in parts of any length, with the same result',
    async (name) => {
      const source = name.startsWith('kutt') ? KUTT : YOURLS;
      const whole = await fixture(name);
      const { path } = (await fixture(name)).file!;
      const expected = await readDumpIndex(whole.file!.path, source.tables);
      const now = jest.spyOn(performance, 'now');
      let [clock, parts] = [0, 0];
      // Each reading of the clock advances the clock by a millisecond.
      now.mockImplementation(() => ++clock);
      let index: DumpIndex | number;
      try {
        do {
          index = await readDumpIndex(path, source.tables, 4);
          parts++;
        } while (typeof index === 'number');
      } finally {
        now.mockRestore();
      }
      expect(index).toEqual(expected);
      expect(parts).toBeGreaterThan(5);
    },
  );

  it('rejects a hash that would take seconds to compare', async () => {
    const row = (i: number, cost: number) =>
      `(${i},'k${i}','https://a.test/','$2b$${cost}$${'a'.repeat(53)}')`;
    const rows = await rowsOf(
      stored(`INSERT INTO l (id,address,target,password) VALUES ${row(1, 12)},${row(2, 13)};`),
      KUTT,
    );
    expect(rows).toMatchObject([
      { passwordHash: expect.stringContaining('$2b$12$'), isProtected: false },
      { passwordHash: null, isProtected: true },
    ]);
  });

  it('reads each statement once, for any number of created tables', async () => {
    const created = 'CREATE TABLE a(;\n'.repeat(5000);
    const spy = jest.spyOn(Buffer.prototype, 'toString');
    await expect(rowsOf(stored(created))).rejects.toThrow(ImportFormatError);
    const decoded = spy.mock.results.reduce((sum, { value }) => sum + String(value).length, 0);
    spy.mockRestore();
    expect(decoded).toBeLessThan(10 * created.length + 1024 * 1024);
  });

  it('stops reading a dump with too many broken statements', async () => {
    const text = `${URL_TABLE}${"INSERT INTO u VALUES (\\';\n".repeat(60_000)}`;
    await expect(rowsOf(stored(text))).rejects.toThrow('too many broken statements');
  });

  it('stops reading a dump whose tables have too many columns', async () => {
    const columns = Array.from({ length: 150 }, (_, i) => `c${i}`).join(',');
    const tables = `CREATE TABLE u (keyword text, url text, ${columns});\nSET a=1;\n`;
    const rows = "INSERT INTO u VALUES ('a','b');\nSET a=1;\n".repeat(9000);
    await expect(rowsOf(stored(tables + rows))).rejects.toThrow('too many parts');
  });

  it.each([
    [
      'a text that calls make longer than a field',
      "replace(replace('AAAA','a','AAAA'),'a','AAAA')",
    ],
    ['nested calls', `${'replace('.repeat(20_000)}'a'${",'a','b')".repeat(20_000)}`],
    ['a call with too many values', `char(${'65,'.repeat(90_000)}65)`],
    [
      'a call that looks for a long text',
      `replace('${'a'.repeat(5000)}','${'a'.repeat(2000)}b','c')`,
    ],
    ['a length that no text has', `replace('${'a'.repeat(60_000)}','a','${'b'.repeat(60_000)}')`],
  ])('does not read %s', async (_name, value) => {
    const long = value.replaceAll('AAAA', 'a'.repeat(1000));
    const rows = await rowsOf(stored(`${URL_TABLE}INSERT INTO u VALUES ('k',${long}),('l','m');`));
    expect(rows).toMatchObject([
      { row: 1, problem: expect.any(String) },
      { row: 2, alias: 'l' },
    ]);
  });

  it('reads an invalid character as U+FFFD', async () => {
    const rows = await rowsOf(
      stored(`${URL_TABLE}INSERT INTO u VALUES ('k','https://a.test/'||1),('l',char(-1,65,1.5));`),
    );
    expect(rows.at(-1)).toMatchObject({ alias: 'l', longUrl: '\ufffdA\ufffd' });
  });

  it('reads a truncated dump to its end', async () => {
    const rows = await rowsOf(
      stored(`${URL_TABLE}INSERT INTO \`u\` VALUES ('a','https://a.test/1'),('b','https://a.te`),
    );
    expect(rows.map((one) => ('problem' in one ? 'problem' : one.alias))).toEqual(['a', 'problem']);
  });

  it.each([
    ['an empty file', ''],
    ['a picture', Buffer.from([0x89, 0x50, 0x4e, 0x47])],
    ['bytes', Buffer.from('INSERT\0')],
    ['other text', 'keyword,url\na,https://a.test\n'],
    ['another dump', 'CREATE TABLE `wp_posts` (`id` int);\nINSERT INTO `wp_posts` VALUES (1);'],
  ])('rejects %s', async (_name, content) => {
    const of = stored(content);
    await expect(rowsOf(of)).rejects.toThrow(ImportFormatError);
    expect(existsSync(`${of.file!.path}.index`)).toBe(false);
  });

  it('reports the tables of an unsupported dump', async () => {
    const of = stored('CREATE TABLE `wp_posts` (`id` int);\nINSERT INTO `wp_posts` VALUES (1);');
    await expect(rowsOf(of)).rejects.toThrow(/keyword and url; it has wp_posts/);
  });
});
