import { Workbook } from 'exceljs';
import mongoose from 'mongoose';
import { once } from 'node:events';
import { connect } from 'node:net';
import type { Response } from 'supertest';
import { ApiClient } from '../../support/api-client';
import { databaseOf } from '../../support/database';
import { eventually } from '../../support/shared/eventually';
import { manyStoredLinks } from '../../support/shared/stored-link';
import { type Service, startService } from '../../support/service';

function bytes(response: Response, done: (error: Error | null, body: Buffer) => void): void {
  const chunks: Buffer[] = [];
  const stream = response as unknown as NodeJS.ReadableStream;
  stream.on('data', (chunk: Buffer) => chunks.push(chunk));
  stream.on('end', () => done(null, Buffer.concat(chunks)));
}

type Value = string | number | boolean | null;

describe('GET /api/v1/urls/export', () => {
  let service: Service;
  let owner: ApiClient;
  let database: mongoose.Connection;
  beforeAll(async () => {
    service = await startService();
    database = await databaseOf(service);
  });
  beforeEach(async () => {
    owner = await ApiClient.on(service);
  });
  afterAll(async () => {
    await database.close();
    await service.stop();
  });

  async function file(format: string, filter?: object): Promise<[Buffer, Record<string, string>]> {
    const answer = await owner
      .call('get', '/api/v1/urls/export')
      .query({ format, ...(filter === undefined ? {} : { filter: JSON.stringify(filter) }) })
      .buffer(true)
      .parse(bytes as never);
    expect(answer.status).toBe(200);
    return [answer.body as Buffer, answer.headers];
  }

  async function items(filter: object = {}): Promise<Record<string, Value>[]> {
    const { body } = await owner.list({ filter: JSON.stringify(filter), pageSize: 100 });
    return (body as { items: Record<string, Value>[] }).items;
  }

  const store = (count: number): Promise<void> =>
    manyStoredLinks(database, count, {
      owner: new mongoose.Types.ObjectId(owner.account.userId),
    });

  const NAMES =
    'id,alias,short_url,long_url,status,created_at,expire_after,max_clicks,private_stats,block_bots,password_set,total_clicks,last_click,title,note,tags,count_bots,starts_at,pre_start_url,expired_redirect_url,forward_query,domain,rules,geo_rules,ab_variants,blocked,imported_clicks,clicks_deleted_at,paused';

  it('begins a CSV file with a byte-order mark only if the parameter requests it', async () => {
    const ask = (query: object) =>
      owner.call('get', '/api/v1/urls/export').query({ format: 'csv', ...query });
    expect((await ask({ bom: true })).text).toBe(`\ufeff${NAMES}\r\n`);
    expect((await ask({ bom: false })).text).toBe(`${NAMES}\r\n`);
    expect((await ask({ bom: 'yes' })).body).toMatchObject({ field: 'bom' });
  });

  it("contains the list's items in the same order, in every format", async () => {
    await owner.aLink({ max_clicks: 5, expire_after: 4_000_000_000, password: 'secret1@' });
    await owner.aLink({
      ...{ alias: '-1-2', long_url: 'https://example.com/?q="a",b' },
      ...{ title: '=SUM(A1)', note: 'a "quoted"\nline', tags: ['Zoo', '+apple'] },
    });
    const listed = await items();
    expect(listed).toHaveLength(2);

    const [json, jsonHeaders] = await file('json');
    expect(JSON.parse(json.toString())).toEqual({
      generated_at: expect.stringMatching(/Z$/) as string,
      links: listed,
    });
    expect(jsonHeaders).toMatchObject({
      'content-type': 'application/json',
      'content-disposition': 'attachment; filename="curtail-links.json"',
      'cache-control': 'no-store',
    });

    const [csv, csvHeaders] = await file('csv');
    const cell = (name: string, value: Value): string => {
      if (value === null || (name === 'tags' && value === '')) return '';
      if (typeof value !== 'string') return String(value);
      return `"${/^[-=+]/.test(value) ? "'" : ''}${value.replaceAll('"', '""')}"`;
    };
    const tagCell = (item: object) => (item as { tags: string[] }).tags.join(', ');
    const lines = listed.map((item) =>
      NAMES.split(',')
        .map((name) => cell(name, name === 'tags' ? tagCell(item) : (item[name] ?? null)))
        .join(),
    );
    expect(csv.toString()).toBe(`${[NAMES, ...lines].join('\r\n')}\r\n`);
    expect(csvHeaders).toMatchObject({
      'content-type': 'text/csv; charset=utf-8',
      'content-disposition': 'attachment; filename="curtail-links.csv"',
    });

    const [xlsx, xlsxHeaders] = await file('xlsx');
    const workbook = new Workbook();
    await workbook.xlsx.load(xlsx as never);
    const sheet = workbook.getWorksheet('Links')!;
    expect(sheet.getRow(1).values).toEqual([undefined, ...NAMES.split(',')]);
    const [newest] = listed;
    const cells = NAMES.split(',').map((name, i) => [name, sheet.getRow(2).getCell(i + 1).value]);
    expect(Object.fromEntries(cells)).toEqual({
      ...newest,
      blocked: null,
      imported_clicks: null,
      clicks_deleted_at: null,
      ...{ alias: "'-1-2", title: "'=SUM(A1)", tags: "'+apple, Zoo" },
    });
    expect(xlsxHeaders['content-disposition']).toContain('filename="curtail-links.xlsx"');
  });

  it("applies the list's filter, and never contains other accounts' links", async () => {
    await (await ApiClient.on(service)).aLink({ max_clicks: 3 });
    const limited = await owner.aLink({ max_clicks: 3 });
    await owner.aLink();
    const [json] = await file('json', { maxClicksSet: true });
    const { links } = JSON.parse(json.toString()) as { links: { id: string }[] };
    expect(links.map(({ id }) => id)).toEqual([limited.id]);
  });

  it('returns a file even without links', async () => {
    const [csv] = await file('csv', { search: 'nowhere' });
    expect(csv.toString()).toBe(`${NAMES}\r\n`);
    expect(JSON.parse((await file('json'))[0].toString())).toMatchObject({ links: [] });
  });

  it('contains thousands of links, each once', async () => {
    await store(3001);
    const [csv] = await file('csv');
    const rows = csv.toString().trimEnd().split('\r\n').slice(1);
    expect(new Set(rows.map((row) => row.split(',')[0])).size).toBe(3001);
    expect(rows).toHaveLength(3001);
  });

  it.each([
    ['no format', '', 422],
    ['a format of statistics alone', '?format=xml', 422],
    ['two formats', '?format=csv&format=json', 422],
    ['a filter that is not JSON', '?format=csv&filter=x', 422],
    ['a time that cannot be read', '?format=csv&filter={"createdAfter":"then"}', 400],
  ])('rejects %s', async (_, query, status) => {
    const answer = await owner.call('get', `/api/v1/urls/export${encodeURI(query)}`);
    expect([answer.status, answer.body.code]).toEqual([status, 'validation_error']);
  });

  it('allows four files per account at a time, and continues when readers disconnect', async () => {
    await store(20_000);
    const open = async () => {
      const socket = connect(service.port, '127.0.0.1');
      socket.write(
        `GET /api/v1/urls/export?format=json HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: 203.0.113.9\r\n` +
          `Authorization: Bearer ${owner.account.accessToken}\r\n\r\n`,
      );
      // Reads only the headers, so that the export never completes.
      await once(socket, 'readable');
      return socket;
    };
    const readers = await Promise.all([open(), open(), open(), open()]);
    const fifth = await owner.call('get', '/api/v1/urls/export?format=csv');
    expect([fifth.status, fifth.body.code]).toEqual([503, 'internal_error']);
    expect(fifth.headers['retry-after']).toBe('10');
    for (const reader of readers) reader.destroy();
    const isFree = (): Promise<boolean> =>
      owner.call('get', '/api/v1/urls/export?format=csv').then(({ status }) => status === 200);
    await eventually('a file is written again', isFree);
    expect(service.log()).not.toMatch(/Uncaught exception|Unhandled rejection/);
  });
});
