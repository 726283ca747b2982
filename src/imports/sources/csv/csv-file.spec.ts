import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Import, DEFAULT_OPTIONS } from '../../store/import';
import { csvReader, csvStart, openCsv } from './csv.reader';

describe('a CSV file', () => {
  const folder = mkdtempSync(join(tmpdir(), 'curtail-csv-'));
  const path = join(folder, 'links.csv');

  afterAll(() => rmSync(folder, { recursive: true }));

  it.each([
    ['sep=;\nurl;alias\nhttps://a.test/;a1\n', ';', 2],
    ['\ufeffSEP=;\r\nurl;alias\r\n', ';', 2],
    ['"sep=,"\nurl,alias\n', ',', 2],
    ['sep=;;;\nurl;alias\n', ';', 2],
    ['sep=\t\nurl\talias\n', '\t', 2],
    ['sep=|\nurl|alias\n', '|', 2],
    ['\nsep=;\n\nurl;alias\n', ';', 4],
    ['sep=url;alias\n', ';', 1],
    ['url,alias\nsep=;\n', ',', 1],
  ])('%j has the separator %j and the header in row %d', async (contents, separator, row) => {
    writeFileSync(path, contents);
    expect(await openCsv(path)).toMatchObject({ separator, header: { row } });
    const names = (await csvStart(path)).map(({ name }) => name);
    expect(names.at(-1)).toBe('alias');
  });

  const rowsOf = async (contents: string) => {
    writeFileSync(path, contents);
    const file = { name: 'links.csv', path, bytes: 1, sha256: '' };
    const page = await csvReader.page({ file, options: DEFAULT_OPTIONS } as Import, null, 1);
    return page.rows;
  };

  it.each([
    'source,url\n/ozh,https://a.test/\n',
    'path,url\n/Bookmarks,https://a.test/\n',
    'title,destination\nOzh,https://a.test/\n',
  ])('without an alias column reports that the column is missing: %j', async (contents) => {
    expect(await rowsOf(contents)).toMatchObject([{ alias: null, notes: ['alias_generated'] }]);
  });

  it('may have rows with too many fields, or without empty fields at the end', async () => {
    const rows = [
      'https://a.test/1,a1',
      'https://a.test/2,a2,Two,,',
      'https://a.test/3,a3,Three,x',
    ];
    expect(await rowsOf(`url,alias,title\n${rows.join('\n')}\n`)).toMatchObject([
      { row: 2, alias: 'a1', title: null },
      { row: 3, alias: 'a2', title: 'Two' },
      { row: 4, problem: '4 columns, but the header has 3' },
    ]);
  });
});
