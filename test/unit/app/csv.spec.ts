import fc from 'fast-check';
import { csvFile, readCsv } from '../../../web/data/csv';
import { FORMULA } from '../../support/hostile-texts';

const hasUrl = (cells: readonly string[]): boolean => cells.includes('url');
const cellsOf = (text: string) => readCsv(text, hasUrl).map(({ cells }) => cells);

describe('CSV files from users', () => {
  it.each([
    ['comma', 'url,title\na,b'],
    ['semicolon', 'url;title\na;b'],
    ['tab', 'url\ttitle\na\tb'],
    ['the mark of Excel and its line ends', '\ufeffurl;title\r\na;b\r\n'],
    ['line ends of old', 'url,title\ra,b'],
    ['quotes', '"url","title"\n"a","b"'],
    ['white space before quotes, and empty lines', 'url,title\n\n ,\n "a",b\n\n'],
  ])('are read: %s', (_, text) => {
    expect(cellsOf(text)).toEqual([
      ['url', 'title'],
      ['a', 'b'],
    ]);
  });

  it('keep separators, quotes and line breaks in quotes, and have the right line numbers', () => {
    const records = readCsv('url,note\n"a,b","he said ""yes""\r\nand left"\nc,d', hasUrl);
    expect(records.map(({ line, cells }) => [line, ...cells])).toEqual([
      [1, 'url', 'note'],
      [2, 'a,b', 'he said "yes"\r\nand left'],
      [4, 'c', 'd'],
    ]);
  });

  it('with an unclosed quotation mark are reported', () => {
    const records = readCsv('url,title\na,"b\nc,d', hasUrl);
    expect(records.map(({ isOpen }) => isOpen)).toEqual([false, true]);
  });

  it('with only addresses have no separators, because addresses may contain commas', () => {
    expect(cellsOf('https://a.example/1,2\nhttps://b.example/x')).toEqual([
      ['https://a.example/1,2'],
      ['https://b.example/x'],
    ]);
    expect(cellsOf('url\nhttps://a.example/1,2')).toEqual([['url'], ['https://a.example/1,2']]);
  });

  it('can be read exactly as they were written, and contain no formulas', async () => {
    const text = fc.string({ unit: 'grapheme', minLength: 1 }).filter((it) => /^\p{L}/u.test(it));
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(text, text), { minLength: 1 }), async (rows) => {
        const { content } = csvFile('x.csv', ['url', 'note'], rows);
        expect(cellsOf(await content.text()).slice(1)).toEqual(rows.map((row) => [...row]));
      }),
    );
    const { content } = csvFile('x.csv', ['url', 'clicks'], [[FORMULA, 5]]);
    expect(await content.text()).toContain(`"'${FORMULA}",5\r\n`);
  });
});
