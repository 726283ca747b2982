import { Workbook } from 'exceljs';
import JSZip from 'jszip';
import { buffer } from 'node:stream/consumers';
import { attachment } from './file-formats';
import { csvLine, csvZip } from './csv';
import { type DocumentObject, jsonText, PagedList, PagedObject } from './json';
import { safeCell, smallTable, type Table } from './table';
import { xlsxWorkbook } from './xlsx';
import { xmlText } from './xml';

async function whole(pieces: AsyncIterable<string>): Promise<string> {
  let text = '';
  for await (const piece of pieces) text += piece;
  return text;
}

const paged = <T>(...pages: T[][]): PagedList<T> =>
  new PagedList(pages.flat().length, async function* () {
    for (const page of pages) yield await Promise.resolve(page);
  });

const document: DocumentObject = {
  scope: 'all',
  filters: { browser: ['Chrome', 'a "b"\n'] },
  empty: {},
  none: null,
  list: [],
  yes: true,
  metrics: {
    by_city: paged([{ city: '=1+1', clicks: 2 }], [{ city: 'Köln', clicks: 0.5 }]),
    by_nothing: paged(),
  },
  last: 7,
};

describe('safeCell', () => {
  it('adds an apostrophe before text that a spreadsheet could read as a formula', () => {
    for (const text of [
      '=1',
      '+1',
      '-1',
      '@a',
      '＝1',
      '＋1',
      '－1',
      '＠a',
      '\tx',
      '\rx',
      '\nx',
      '\u0000x',
      '\u0085',
    ]) {
      expect(safeCell(text)).toBe(`'${text}`);
    }
    for (const text of ['', 'a=1', '1-2', ' =1', '’']) expect(safeCell(text)).toBe(text);
  });
});

describe('csvLine', () => {
  it('quotes every text but no number, and writes null as an empty field', () => {
    expect(csvLine(['a,b', 'say "hi"', 'x\ny', null, 1.5, -2, true])).toBe(
      '"a,b","say ""hi""","x\ny",,1.5,-2,true\r\n',
    );
    expect(csvLine(['x;=1+1;y', 'plain'])).toBe('"x;=1+1;y","plain"\r\n');
    expect(csvLine(['=cmd()', '-1,5'])).toBe(`"'=cmd()","'-1,5"\r\n`);
  });
});

describe('jsonText', () => {
  it('writes the output of JSON.stringify with four spaces', async () => {
    const plain = {
      ...document,
      metrics: {
        by_city: [
          { city: '=1+1', clicks: 2 },
          { city: 'Köln', clicks: 0.5 },
        ],
        by_nothing: [],
      },
    };
    expect(await whole(jsonText(document))).toBe(JSON.stringify(plain, null, 4));
    expect(await whole(jsonText({}))).toBe('{}');
  });
});

describe('xmlText', () => {
  it('writes each value with its type, lists as items, and unusual keys as attributes', async () => {
    const text = await whole(
      xmlText({ a: 'x<y&"', 'Mac OS X': 1, list: [1.5, null, true], m: { by: paged(['p']) } }),
    );
    expect(text).toBe(
      '<?xml version="1.0" encoding="UTF-8"?><root>' +
        '<a type="str">x&lt;y&amp;"</a>' +
        '<key name="Mac OS X" type="int">1</key>' +
        '<list type="list"><item type="float">1.5</item><item type="null"/>' +
        '<item type="bool">true</item></list>' +
        '<m type="dict"><by type="list"><item type="str">p</item></by></m></root>',
    );
  });

  it('writes objects page by page, including empty ones', async () => {
    const counts = new PagedObject<number>(3, async function* () {
      yield await Promise.resolve([['a b', 1] as const, ['c', 2] as const]);
      yield [['__proto__', 3] as const];
    });
    const nothing = new PagedObject<number>(0, async function* () {
      yield await Promise.resolve([]);
    });
    const text = await whole(xmlText({ counts, nothing, after: '' }));
    expect(text).toBe(
      '<?xml version="1.0" encoding="UTF-8"?><root><counts type="dict">' +
        '<key name="a b" type="int">1</key><c type="int">2</c><__proto__ type="int">3</__proto__>' +
        '</counts><nothing type="dict"/><after type="str"/></root>',
    );
    expect(await whole(jsonText({ counts, nothing, after: '' }))).toBe(
      '{\n    "counts": {\n        "a b": 1,\n        "c": 2,\n        "__proto__": 3\n    },\n' +
        '    "nothing": {},\n    "after": ""\n}',
    );
  });

  it('keeps line breaks unchanged', async () => {
    const text = await whole(xmlText({ text: 'a\r\n\tb', 'k\r\n\t': 1 }));
    expect(text).toContain('<text type="str">a&#xD;\n\tb</text>');
    expect(text).toContain('<key name="k&#xD;&#xA;&#x9;" type="int">1</key>');
  });

  it('keeps text that looks like an entity unchanged', async () => {
    const text = await whole(xmlText({ text: 'a&lt;b&amp;c&', 'k&gt;': '&#10;' }));
    expect(text).toContain('<text type="str">a&amp;lt;b&amp;amp;c&amp;</text>');
    expect(text).toContain('<key name="k&amp;gt;" type="str">&amp;#10;</key>');
  });

  it('is well-formed for any text from visitors', async () => {
    const text = await whole(xmlText({ a: 'x\u0000\u0001\ud800y', 'k"<>\u0002': ']]>' }));
    expect(text).toContain('x\ufffd\ufffd\ufffdy');
    expect(text).toContain('name="k&quot;&lt;&gt;\ufffd"');
    expect(text).toContain(']]&gt;');
  });
});

const tables: Table[] = [
  smallTable('Summary', ['Field', 'Value'], [['total_clicks', 2]]),
  {
    name: 'unique_clicks_by_a_dimension_with_a_long_name',
    header: ['city', 'clicks'],
    async *rows() {
      yield await Promise.resolve([['=1+1', 2] as const]);
      yield [['Köln', null] as const];
    },
  },
];

describe('csvZip', () => {
  it('contains one compressed file per table, in UTF-8', async () => {
    const zip = await JSZip.loadAsync(await buffer(csvZip(tables)));
    expect(Object.keys(zip.files)).toEqual([
      'Summary.csv',
      'unique_clicks_by_a_dimension_with_a_long_name.csv',
    ]);
    const text = await zip.file('Summary.csv')!.async('string');
    expect(text).toBe('Field,Value\r\n"total_clicks",2\r\n');
    const list = await zip
      .file('unique_clicks_by_a_dimension_with_a_long_name.csv')!
      .async('string');
    expect(list).toBe(`city,clicks\r\n"'=1+1",2\r\n"Köln",\r\n`);
  });

  it('with many tables adds only one listener for the end of the output', async () => {
    const many = Array.from({ length: 40 }, (_, i) => smallTable(`t${i}`, ['a'], [[i]]));
    const zip = csvZip(many);
    const bytes = await buffer(zip);
    // Node.js warns of a possible leak once there are eleven listeners.
    expect(zip.listenerCount('close')).toBeLessThan(10);
    expect(Object.keys((await JSZip.loadAsync(bytes)).files)).toHaveLength(40);
  });

  it('aborts if a table cannot be read', async () => {
    const broken: Table = {
      name: 'x',
      header: null,
      // eslint-disable-next-line require-yield
      async *rows() {
        throw await Promise.resolve(new Error('gone'));
      },
    };
    await expect(buffer(csvZip([broken]))).rejects.toThrow('gone');
    await expect(buffer(xlsxWorkbook([broken]))).rejects.toThrow('gone');
  });
});

describe('xlsxWorkbook', () => {
  it('contains one sheet per table, with a bold and centred header row', async () => {
    const workbook = new Workbook();
    await workbook.xlsx.load((await buffer(xlsxWorkbook(tables))) as never);
    expect(workbook.worksheets.map(({ name }) => name)).toEqual([
      'Summary',
      'unique_clicks_by_a_dimension_wi',
    ]);
    const [summary, list] = workbook.worksheets;
    expect(summary!.getRow(1).values).toEqual([undefined, 'Field', 'Value']);
    expect(summary!.getCell('A1').font.bold).toBe(true);
    expect(summary!.getCell('A1').alignment.horizontal).toBe('center');
    expect(summary!.getRow(2).values).toEqual([undefined, 'total_clicks', 2]);
    expect(list!.getCell('A2').value).toBe("'=1+1");
    expect(list!.getCell('A3').value).toBe('Köln');
  });

  it('keeps every text unchanged, including text that looks like an escape sequence', async () => {
    const texts = ['_x0041_bc', 'a_x000d_x0041_', '__x0041__', '_x00g1_', 'a\u0001\ud800'];
    const table = smallTable('by_x0041_', ['_x0041_'], [texts, ['x'.repeat(40_000)]]);
    const file = await buffer(xlsxWorkbook([table]));
    const zip = await JSZip.loadAsync(file);
    const xml = await zip.file('xl/worksheets/sheet1.xml')!.async('string');
    const raw = [...xml.matchAll(/<v>([^<]*)</g)].map(([, text = '']) => text);
    const read = raw.map((text) =>
      text.replace(/_x([0-9a-f]{4})_/gi, (_, code: string) =>
        String.fromCharCode(parseInt(code, 16)),
      ),
    );
    expect(raw.slice(0, 3)).toEqual([
      '_x005F_x0041_',
      '_x005F_x0041_bc',
      'a_x005F_x000d_x005F_x0041_',
    ]);
    expect(read.slice(0, 5)).toEqual(['_x0041_', ...texts.slice(0, 4)]);
    expect(read.slice(5)).toEqual(['a\ufffd\ufffd', 'x'.repeat(32_767)]);
    expect(await zip.file('xl/workbook.xml')!.async('string')).toContain('name="by_x005F_x0041_"');
    const workbook = new Workbook();
    await workbook.xlsx.load(file as never);
    expect(workbook.worksheets[0]!.getCell('A2').value).toBe('_x005F_x0041_bc');
  });

  it('sets column widths that fit the content', async () => {
    const workbook = new Workbook();
    const header = ['city', 'unique_clicks', 'unique_clicks_percentage'];
    const address = 'https://example.com/a/long/way';
    const list: Table = { ...smallTable('list', header, []), widths: undefined };
    const tables = [list, smallTable('facts', null, [['url', address, 'x'.repeat(500)]])];
    await workbook.xlsx.load((await buffer(xlsxWorkbook(tables))) as never);
    const widths = workbook.worksheets.map((sheet) =>
      [1, 2, 3].map((column) => sheet.getColumn(column).width),
    );
    expect(widths).toEqual([
      [40, 17, 28],
      ['url'.length + 4, address.length + 4, 80],
    ]);
    expect(workbook.worksheets[1]!.getRow(1).getCell(2).value).toBe(address);
  });

  it('keeps dates as dates, and text as text', async () => {
    const at = Date.UTC(2026, 9, 20);
    const cell = { text: '2026-10-20', at, format: 'yyyy-mm-dd' } as const;
    const table = smallTable('times', ['time', 'clicks'], [[cell, 3]]);
    const workbook = new Workbook();
    await workbook.xlsx.load((await buffer(xlsxWorkbook([table]))) as never);
    const written = workbook.worksheets[0]!.getCell('A2');
    expect([written.value, written.numFmt]).toEqual([new Date(at), 'yyyy-mm-dd']);
    const zip = await JSZip.loadAsync(await buffer(csvZip([table])));
    expect(await zip.file('times.csv')!.async('string')).toBe('time,clicks\r\n"2026-10-20",3\r\n');
  });
});

describe('attachment', () => {
  it('contains the file name, with emoji in the extended notation', () => {
    expect(attachment('curtail-export', 'csv')).toBe(
      'attachment; filename="curtail-export-csv.zip"',
    );
    expect(attachment('curtail-export-abc', 'xlsx')).toBe(
      'attachment; filename="curtail-export-abc.xlsx"',
    );
    expect(attachment('curtail-export-🎉', 'json')).toBe(
      `attachment; filename="curtail-export.json"; filename*=UTF-8''curtail-export-%F0%9F%8E%89.json`,
    );
  });
});
