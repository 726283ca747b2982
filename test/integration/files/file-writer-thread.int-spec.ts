import { once } from 'node:events';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer, text } from 'node:stream/consumers';
import { setImmediate as turn } from 'node:timers/promises';
import { Workbook } from 'exceljs';
import type { FileContents } from '../../../src/infrastructure/files/file-formats';
import type * as Built from '../../../src/infrastructure/files/file-writer.thread';
import type * as Json from '../../../src/infrastructure/files/json';
import type { Table } from '../../../src/infrastructure/files/table';
import type * as Xml from '../../../src/infrastructure/files/xml';

// The worker thread exists only in the built program.
const BUILT = join(__dirname, '../../../dist/infrastructure/files');
const PAGE = 500;

async function* numbered(pages: number): AsyncGenerator<[string, number][]> {
  for (let page = 0; page < pages; page += 1) {
    yield await Promise.resolve(
      Array.from({ length: PAGE }, (_, i) => [`https://${page}.example/${i}`, i]),
    );
  }
}

let built: typeof Built & typeof Json & typeof Xml;

function documentOf(pages: number): Json.DocumentObject {
  const { PagedList, PagedObject } = built;
  async function* members() {
    for await (const page of numbered(pages)) yield page.map(([site, n]) => ({ site, n }));
  }
  return {
    first: 'a&lt;b',
    metrics: {
      list: new PagedList(pages * PAGE, members),
      object: new PagedObject(pages * PAGE, () => numbered(pages)),
    },
    last: null,
  };
}

function contentsOf(document: Json.DocumentObject, tables: Table[] = []): FileContents {
  return { document: () => document, archive: () => tables, workbook: () => tables };
}

function tableOf(rows: Table['rows']): Table {
  return { name: 'rows', header: ['site', 'n'], rows };
}

describe('The file writer thread', () => {
  let thread: Built.FileWriterThread;

  beforeAll(async () => {
    const files = ['file-writer.thread', 'json', 'xml'];
    const modules = await Promise.all(files.map((file) => import(join(BUILT, `${file}.js`))));
    built = Object.assign({}, ...modules) as typeof built;
    thread = new built.FileWriterThread();
  });

  afterAll(() => thread.onApplicationShutdown());

  it('writes the same files as the writers, several at a time', async () => {
    const [json, xml] = await Promise.all([
      text(thread.write('json', contentsOf(documentOf(3)))),
      text(thread.write('xml', contentsOf(documentOf(3)))),
    ]);
    expect(json).toBe(await text(Readable.from(built.jsonText(documentOf(3)))));
    expect(xml).toBe(await text(Readable.from(built.xmlText(documentOf(3)))));
  });

  it('writes workbooks of its tables', async () => {
    const tables = [tableOf(() => numbered(2))];
    const bytes = await buffer(thread.write('xlsx', contentsOf({}, tables)));
    const workbook = new Workbook();
    await workbook.xlsx.load(bytes as never);
    expect(workbook.worksheets[0]!.rowCount).toBe(1 + 2 * PAGE);
    expect(workbook.worksheets[0]!.getCell('A502').value).toBe('https://1.example/0');
  });

  it('reads pages only as fast as its reader reads, and closes them if the reader disconnects', async () => {
    let read = 0;
    let isClosed = false;
    async function* endless() {
      try {
        for (;;) {
          read += 1;
          for await (const page of numbered(1)) yield page;
        }
      } finally {
        isClosed = true;
      }
    }
    const file = thread.write('json', contentsOf({ list: new built.PagedList(1, endless) }));
    await once(file, 'readable');
    // Writes another complete file, which gives the first writer time to read ahead.
    await text(thread.write('json', contentsOf(documentOf(20))));
    expect(read).toBeLessThan(10);
    file.destroy();
    await once(file, 'close');
    expect(isClosed).toBe(true);
  });

  it('ends a file with the error of its pages', async () => {
    async function* broken(): AsyncGenerator<[string, number][]> {
      yield* numbered(1);
      throw new RangeError('The result are gone');
    }
    const written = (format: 'csv' | 'xlsx') =>
      buffer(thread.write(format, contentsOf({}, [tableOf(broken)])));
    await expect(written('csv')).rejects.toThrow(RangeError);
    await expect(written('xlsx')).rejects.toThrow('The result are gone');
  });

  it('lets the web thread run between any two pages of a workbook', async () => {
    let turns = 0;
    let fewest = Infinity;
    async function* counted() {
      for await (const page of numbered(40)) {
        const before = turns;
        yield page;
        fewest = Math.min(fewest, turns - before);
      }
    }
    const over = new AbortController();
    const ticking = (async () => {
      for (; !over.signal.aborted; turns += 1) await turn();
    })();
    await buffer(thread.write('xlsx', contentsOf({}, [tableOf(counted)])));
    over.abort();
    await ticking;
    expect(fewest).toBeGreaterThan(0);
  });

  it('fails the files in progress when it ends unexpectedly, and is restarted', async () => {
    const file = thread.write('json', contentsOf(documentOf(1000)));
    await once(file, 'readable');
    const failed = expect(text(file)).rejects.toThrow('has ended');
    await thread.onApplicationShutdown();
    await failed;
    expect(await text(thread.write('json', contentsOf({})))).toBe('{}');
  });
});
