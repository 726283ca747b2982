import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { csvRecords, type CsvRecord, findSeparator } from './csv-records';
import { MAX_FIELD_BYTES } from '../../reading/file-window';

describe('rows of a CSV file', () => {
  const folder = mkdtempSync(join(tmpdir(), 'curtail-csv-'));
  const path = join(folder, 'links.csv');

  afterAll(() => rmSync(folder, { recursive: true }));

  async function read(contents: string | Buffer, from?: { offset: number; row: number }) {
    writeFileSync(path, contents);
    const records: CsvRecord[] = [];
    for await (const record of csvRecords(path, ',', from)) records.push(record);
    return records;
  }

  const told = (records: readonly CsvRecord[]) =>
    records.map(({ row, fields, problem }) => [row, problem ?? fields]);

  const OPEN = 'a quote is not closed';
  const AFTER = 'text after the end of a quoted field';

  it.each<[string, string | Buffer, unknown[]]>([
    [
      'LF',
      'a,b\n1,2\n',
      [
        [1, ['a', 'b']],
        [2, ['1', '2']],
      ],
    ],
    [
      'CRLF and no end',
      'a,b\r\n1,2',
      [
        [1, ['a', 'b']],
        [2, ['1', '2']],
      ],
    ],
    [
      'CR',
      'a\rb\r',
      [
        [1, ['a']],
        [2, ['b']],
      ],
    ],
    ['a mark', '\ufeffa,b', [[1, ['a', 'b']]]],
    [
      'blank lines',
      'a\n\n\nb\n',
      [
        [1, ['a']],
        [4, ['b']],
      ],
    ],
    [
      'blank lines of every kind',
      'a\n\r\n\r\r\nb\r\r',
      [
        [1, ['a']],
        [5, ['b']],
      ],
    ],
    ['quotes', '"a ""b"", c","d\ne",\n', [[1, ['a "b", c', 'd\ne', '']]]],
    ['a quote within', 'a"b,c\n', [[1, ['a"b', 'c']]]],
    ['empty fields', ',,\n', [[1, ['', '', '']]]],
    [
      'a broken quote',
      'a\n"b"c\nd\n',
      [
        [1, ['a']],
        [2, AFTER],
        [3, ['d']],
      ],
    ],
    [
      'spaces alongside quotes',
      '"a", "b, c" \t,\t"d"\n "e" , f "g", \n',
      [
        [1, ['a', 'b, c', 'd']],
        [2, ['e', ' f "g"', ' ']],
      ],
    ],
    [
      'quotes behind spaces that enclose no field',
      'a, "b" c\n1, "2\n3, ""4"" 5\n',
      [
        [1, ['a', ' "b" c']],
        [2, ['1', ' "2']],
        [3, ['3', ' ""4"" 5']],
      ],
    ],
    [
      'an open quote',
      'a\n"b\nc\n',
      [
        [1, ['a']],
        [2, OPEN],
        [3, ['c']],
      ],
    ],
    [
      'an open quote in several lines',
      '"a\nb\n"c\nd\n',
      [
        [1, AFTER],
        [2, ['b']],
        [3, OPEN],
        [4, ['d']],
      ],
    ],
    [
      'a zero byte',
      'a\nb\0\nc\n',
      [
        [1, ['a']],
        [2, 'bytes that are not text'],
        [3, ['c']],
      ],
    ],
    ['nothing', '', []],
  ])('are read with %s', async (_name, contents, expected) => {
    expect(told(await read(contents))).toEqual(expected);
  });

  it('are limited in size, for each field and in total', async () => {
    const long = 'x'.repeat(MAX_FIELD_BYTES + 1);
    const huge = 'x,'.repeat(700_000);
    expect(told(await read(`a,${long}\n${huge}\nb\n`))).toEqual([
      [1, 'a field is longer than 64 KiB'],
      [2, 'longer than 1 MiB'],
      [3, ['b']],
    ]);
  });

  it('with an unclosed quote end at the line in which they began', async () => {
    const records = await read(`a\n"b\n${'c,d\n'.repeat(100_000)}`);
    expect(told(records.slice(0, 3))).toEqual([
      [1, ['a']],
      [2, OPEN],
      [3, ['c', 'd']],
    ]);
    expect(records).toHaveLength(100_002);
  });

  it('are read as Windows-1252 if they are not UTF-8, each separately', async () => {
    const records = await read(Buffer.concat([Buffer.from('é\n'), Buffer.from([0xe9, 0x80, 10])]));
    expect(records.map(({ fields, isGuessed }) => [fields[0], isGuessed])).toEqual([
      ['é', false],
      ['é€', true],
    ]);
  });

  it('can be read from the end of any earlier row', async () => {
    const contents = `\ufeffa,"b\nc"\r\n\r\n${'"x ""y""",z\n'.repeat(10_000)}"broken\nlast`;
    const whole = await read(contents);
    for (const at of [0, 1, 777, 9999, 10_001]) {
      const { end: offset, row } = whole[at] as CsvRecord;
      expect(told(await read(contents, { offset, row: row + 1 })).at(-1)).toEqual([
        10_004,
        ['last'],
      ]);
    }
  });

  it.each([
    ['a,b;c,d', ','],
    ['a;b;c,d', ';'],
    ['a\tb', '\t'],
    ['"a"\t"b"', '\t'],
    ['"a"\t "b, c"', '\t'],
    ['"a;b;c",d', ','],
    ['a', ','],
  ])('in %j are separated by %j', (header, separator) => {
    expect(findSeparator(`${header}\nx;y;z;w`)).toBe(separator);
  });
});
