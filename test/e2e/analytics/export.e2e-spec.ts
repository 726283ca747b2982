import { Workbook } from 'exceljs';
import JSZip from 'jszip';
import type { Response } from 'supertest';
import { aClick } from '../../support/shared/click.factory';
import { aSession, type Session, StatisticsWorld } from '../../support/statistics/statistics-world';

const NOON = Date.UTC(2026, 9, 20, 12);
const RANGE = { start_date: '2026-10-20', end_date: '2026-10-20T23:00:00Z' };

let world: StatisticsWorld;
let user: Session;
let id: string;
beforeAll(async () => {
  world = await StatisticsWorld.open();
  user = aSession();
  id = await world.link({ owner: user.id, alias: 'exported' });
  await world.record(id, [
    aClick({ at: NOON, city: '=HYPERLINK("x")' }),
    aClick({ at: NOON + 1, city: 'Köln, Süd', visitor: 'f'.repeat(24) }),
    aClick({ at: NOON + 2, city: 'Köln, Süd' }),
  ]);
});
afterAll(() => world.close());

function bytes(response: Response, done: (error: Error | null, body: Buffer) => void): void {
  const chunks: Buffer[] = [];
  const stream = response as unknown as NodeJS.ReadableStream;
  stream.on('data', (chunk: Buffer) => chunks.push(chunk));
  stream.on('end', () => done(null, Buffer.concat(chunks)));
}

interface File {
  headers: Record<string, string>;
  body: Buffer;
}

async function file(path: string, query: object): Promise<File> {
  const asked = { ...RANGE, group_by: 'time,city', ...query };
  const answer = await world
    .get(path, asked, user)
    .buffer(true)
    .parse(bytes as never);
  expect(answer.status).toBe(200);
  return { headers: answer.headers, body: answer.body as Buffer };
}

const ofLink = (format: string, query = {}) =>
  file(`/api/v1/export/links/${id}`, { format, ...query });
const ofAccount = (format: string, query = {}) =>
  file('/api/v1/export', { scope: 'all', format, ...query });

describe('Export files', () => {
  it.each([
    ['json', 'application/json', '.json'],
    ['csv', 'application/zip', '-csv.zip'],
    ['xml', 'application/xml', '.xml'],
    ['xlsx', 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet', '.xlsx'],
  ])('%s: the type and the file name', async (format, type, ending) => {
    const link = await ofLink(format);
    expect(link.headers['content-type']).toContain(type);
    expect(link.headers['content-disposition']).toBe(
      `attachment; filename="curtail-export-exported${ending}"`,
    );
    const account = await ofAccount(format);
    expect(account.headers['content-disposition']).toBe(
      `attachment; filename="curtail-export${ending}"`,
    );
  });

  it('json: the statistics response with complete lists, indented by four spaces', async () => {
    const text = (await ofLink('json')).body.toString();
    const parsed = JSON.parse(text) as { generated_at: string };
    expect(JSON.stringify(parsed, null, 4)).toBe(text);
    const query = { ...RANGE, group_by: 'time,city' };
    const { body } = await world.get(`/api/v1/stats/links/${id}`, query, user);
    expect({ ...parsed, generated_at: '' }).toEqual({ ...(body as object), generated_at: '' });
  });

  it('csv: each file begins with a byte-order mark only on request', async () => {
    const beginnings = async (file: File): Promise<number[]> => {
      const zip = await JSZip.loadAsync(file.body);
      const files = Object.values(zip.files).map((one) => one.async('nodebuffer'));
      return (await Promise.all(files)).map((content) => content.indexOf('\ufeff'));
    };
    for (const exported of [ofLink, ofAccount]) {
      expect(await beginnings(await exported('csv', { bom: true }))).toEqual([0, 0, 0, 0, 0]);
      expect(await beginnings(await exported('csv', { bom: false }))).toEqual([-1, -1, -1, -1, -1]);
      expect(await beginnings(await exported('csv'))).toEqual([-1, -1, -1, -1, -1]);
      expect((await exported('json', { bom: true })).body.indexOf('\ufeff')).toBe(-1);
      expect((await exported('xml', { bom: true })).body.indexOf('\ufeff')).toBe(-1);
    }
    for (const path of ['/api/v1/export', `/api/v1/export/links/${id}`]) {
      const query = { scope: 'all', format: 'csv', bom: 'yes' };
      const { status, body } = await world.get(path, query, user);
      expect({ status, body }).toMatchObject({ status: 422, body: { field: 'bom' } });
    }
  });

  it('csv: a summary, and one file for each list with rows', async () => {
    const zip = await JSZip.loadAsync((await ofLink('csv')).body);
    expect(Object.keys(zip.files)).toEqual([
      'summary.csv',
      'clicks_by_time.csv',
      'unique_clicks_by_time.csv',
      'clicks_by_city.csv',
      'unique_clicks_by_city.csv',
    ]);
    expect(await zip.file('summary.csv')!.async('string')).toBe(
      'Field,Value\r\n"total_clicks",3\r\n"unique_clicks",2\r\n' +
        '"first_click","2026-10-20T12:00:00.000Z"\r\n"last_click","2026-10-20T12:00:00.002Z"\r\n' +
        '"avg_redirection_time",1\r\n',
    );
    expect(await zip.file('unique_clicks_by_city.csv')!.async('string')).toBe(
      'city,unique_clicks,unique_clicks_percentage\r\n' +
        `"Köln, Süd",2,66.67\r\n"'=HYPERLINK(""x"")",1,33.33\r\n`,
    );
  });

  it('xlsx: the same data in sheets', async () => {
    const workbook = new Workbook();
    await workbook.xlsx.load((await ofLink('xlsx')).body as never);
    expect(workbook.worksheets.map(({ name }) => name)).toEqual([
      'Summary',
      'clicks_by_time',
      'unique_clicks_by_time',
      'clicks_by_city',
      'unique_clicks_by_city',
    ]);
    const sheet = workbook.getWorksheet('clicks_by_city')!;
    expect(sheet.getRow(1).values).toEqual([undefined, 'city', 'clicks', 'clicks_percentage']);
    expect(sheet.getRow(3).values).toEqual([undefined, `'=HYPERLINK("x")`, 1, 33.33]);
  });

  it('xml: each element has its type', async () => {
    const text = (await ofLink('xml', { filters: '{"os":["Windows"]}' })).body.toString();
    expect(text.startsWith('<?xml version="1.0" encoding="UTF-8"?><root><scope type="str">')).toBe(
      true,
    );
    expect(text).toContain('<filters type="dict"><os type="list"><item type="str">Windows</item>');
    expect(text).toContain(
      '<clicks_by_city type="list"><item type="dict"><city type="str">Köln, Süd</city>' +
        '<clicks type="int">2</clicks><clicks_percentage type="float">66.67</clicks_percentage>',
    );
    expect(text).toMatch(/<alias type="str">exported<\/alias><domain type="null"\/><\/root>$/);
  });

  it('are complete even without clicks', async () => {
    const nothing = { start_date: '2020-01-01', end_date: '2020-01-02', group_by: 'city' };
    const zip = await JSZip.loadAsync((await ofLink('csv', nothing)).body);
    expect(await zip.file('summary.csv')!.async('string')).toBe(
      'Field,Value\r\n"total_clicks",0\r\n"unique_clicks",0\r\n"first_click",\r\n"last_click",\r\n' +
        '"avg_redirection_time",\r\n',
    );
    expect(Object.keys(zip.files)).toEqual(['summary.csv']);
    const text = (await ofLink('xml', nothing)).body.toString();
    expect(text).toContain('<clicks_by_city type="list"/>');
    expect(text).toContain('<first_click type="null"/>');
    expect((await ofLink('xlsx', nothing)).body.length).toBeGreaterThan(1000);
  });

  it('of v0 and v1 cause no log warning, even with all lists', async () => {
    const every = 'time,browser,os,device,country,city,referrer,utm_source,utm_medium,utm_campaign';
    const lists = Object.keys(
      (await JSZip.loadAsync((await ofLink('csv', { group_by: every })).body)).files,
    );
    expect(lists).toHaveLength(21);
    expect((await file('/export/exported/csv', {})).body.length).toBeGreaterThan(1000);
    expect(world.service.log()).not.toContain('MaxListenersExceeded');
  });

  it('do not affect the service if their reader disconnects', async () => {
    const hot = await world.link({ owner: user.id });
    await world.record(
      hot,
      Array.from({ length: 20_000 }, (_, i) => aClick({ at: NOON + i, city: `City ${i}` })),
    );
    for (const format of ['json', 'csv', 'xml', 'xlsx']) {
      const controller = new AbortController();
      const url = `${world.service.url}/api/v1/export/links/${hot}?format=${format}&group_by=city&start_date=0`;
      const headers = { Authorization: `Bearer ${user.token}` };
      const answer = await fetch(url, { headers, signal: controller.signal });
      expect(answer.status).toBe(200);
      controller.abort();
    }
    expect((await ofLink('json')).body.length).toBeGreaterThan(0);
    expect(world.service.log()).not.toMatch(/Uncaught exception|Unhandled rejection/);
  });
});
