import { Workbook } from 'exceljs';
import JSZip from 'jszip';
import type { Connection } from 'mongoose';
import type request from 'supertest';
import { aLink } from '../../support/factories/links';
import { anAddress, inBytes, visit } from '../../support/http';
import { clicksCounted, startWithDatabase } from '../../support/database';
import type { Service } from '../../support/service';
import { makePrivate } from '../../support/shared/stored-link';
import { aV0Link, getPath, postForm } from '../../support/legacy-requests';

const PASSWORD = 'Geheim1@x';
const LISTS = [
  'counter',
  'browser',
  'country',
  'os_name',
  'referrer',
  'unique_counter',
  'unique_browser',
  'unique_country',
  'unique_os_name',
  'unique_referrer',
  'bots',
];
const SHEETS =
  'General_Info Browser Counter Country OS_Name Referrer Unique_Browser Unique_Counter Unique_Country Unique_OS_Name Unique_Referrer Bots';

async function fileOf(asked: request.Test): Promise<{ answer: request.Response; bytes: Buffer }> {
  const answer = await inBytes(asked);
  return { answer, bytes: answer.body as Buffer };
}

describe('/export/{code}/{format}', () => {
  let service: Service;
  let database: Connection;
  let stop: () => Promise<void>;
  let code: string;

  beforeAll(async () => {
    ({ service, database, stop } = await startWithDatabase());
    code = await aV0Link(service, { url: 'https://example.com/?a=b,"c"', alias: '-dash-alias' });
    await visit(service, code, { Referer: 'https://news.example.com/' });
    await visit(service, code, { 'User-Agent': 'Googlebot/2.1' });
    await clicksCounted(database, code, 2);
  });
  afterAll(() => stop());

  it('json: the statistics object, indented by four spaces', async () => {
    const { answer, bytes } = await fileOf(postForm(service, `/export/${code}/json`));
    expect(answer.status).toBe(200);
    expect(answer.headers['content-type']).toBe('application/json');
    expect(answer.headers['content-disposition']).toBe(
      'attachment; filename="curtail-export.json"',
    );
    const stats = (await postForm(service, `/stats/${code}`)).body as object;
    expect(bytes.toString()).toBe(JSON.stringify(stats, null, 4));
  });

  it('csv: the files begin with a byte-order mark on request', async () => {
    const info = async (fields: Record<string, string>): Promise<Buffer> => {
      const { bytes } = await fileOf(postForm(service, `/export/${code}/csv`, fields));
      return (await JSZip.loadAsync(bytes)).file('general_info.csv')!.async('nodebuffer');
    };
    expect((await info({ bom: 'true' })).indexOf('\ufeff')).toBe(0);
    expect((await info({})).indexOf('\ufeff')).toBe(-1);
    const refused = await postForm(service, `/export/${code}/csv`, { bom: 'yes' });
    expect(refused.status).toBe(400);
    expect(refused.body).toEqual({ FormatError: 'bom must be true or false' });
  });

  it('csv: an archive of twelve files without formulas', async () => {
    const { answer, bytes } = await fileOf(postForm(service, `/export/${code}/csv`));
    expect(answer.status).toBe(200);
    expect(answer.headers['content-type']).toBe('application/zip');
    expect(answer.headers['content-disposition']).toBe(
      'attachment; filename="curtail-export-csv.zip"',
    );
    const zip = await JSZip.loadAsync(bytes);
    expect(Object.keys(zip.files)).toEqual(['general_info', ...LISTS].map((n) => `${n}.csv`));
    const text = (name: string) => zip.file(`${name}.csv`)!.async('string');
    const info = (await text('general_info')).split('\r\n');
    expect(info.map((line) => line.split(',')[0]!.replaceAll('"', ''))).toEqual([
      'TOTAL CLICKS',
      'TOTAL UNIQUE CLICKS',
      'URL',
      'SHORT CODE',
      'MAX CLICKS',
      'EXPIRATION TIME',
      'PASSWORD',
      'CREATION DATE',
      'CREATION TIME',
      'EXPIRED',
      'BLOCK BOTS',
      'AVERAGE DAILY CLICKS',
      'AVERAGE MONTHLY CLICKS',
      'AVERAGE WEEKLY CLICKS',
      'AVERAGE REDIRECTION TIME (in s)',
      'LAST CLICK',
      'LAST CLICK BROWSER',
      'LAST CLICK COUNTRY',
      'LAST CLICK OS',
      '',
    ]);
    expect(info[0]).toBe('"TOTAL CLICKS",2');
    expect(info[2]).toBe('"URL","https://example.com/?a=b,""c"""');
    expect(info[3]).toBe(`"SHORT CODE","'-dash-alias"`);
    expect(info[4]).toBe('"MAX CLICKS",');
    expect(await text('referrer')).toBe(
      'Referrer,Count\r\n"Direct",1\r\n"https://news_example_com",1\r\n',
    );
    expect(await text('bots')).toBe('Bot,Count\r\n"Googlebot",1\r\n');
    expect(await text('counter')).toMatch(/^Date,Count\r\n"\d{4}-\d\d-\d\d",\d+\r\n/);
    expect(await text('unique_os_name')).toMatch(/^OS_Name,Count\r\n/);
  });

  it('xlsx: a workbook with twelve sheets', async () => {
    const { answer, bytes } = await fileOf(getPath(service, `/export/${code}/XLSX`));
    expect(answer.status).toBe(200);
    expect(answer.headers['content-type']).toBe(
      'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
    );
    expect(answer.headers['content-disposition']).toBe(
      'attachment; filename="curtail-export.xlsx"',
    );
    const workbook = new Workbook();
    await workbook.xlsx.load(bytes as never);
    expect(workbook.worksheets.map(({ name }) => name).join(' ')).toBe(SHEETS);
    const [info, browser] = workbook.worksheets;
    expect(info!.getRow(1).values).toEqual([undefined, 'TOTAL CLICKS', 2]);
    expect(info!.getCell('B4').value).toBe("'-dash-alias");
    expect(browser!.getRow(1).values).toEqual([undefined, 'Browser', 'Count']);
  });

  it('xml: data.xml with the object in the format of the v1 export', async () => {
    const { answer, bytes } = await fileOf(getPath(service, `/export/${code}/xml`));
    expect(answer.status).toBe(200);
    expect(answer.headers['content-type']).toBe('application/xml');
    expect(answer.headers['content-disposition']).toBe('attachment; filename="data.xml"');
    const text = bytes.toString();
    expect(text).toMatch(/^<\?xml [^>]*\?>\s*<root/);
    expect(text).toContain('<short_code type="str">-dash-alias</short_code>');
    expect(text).toContain('<total-clicks type="int">2</total-clicks>');
    expect(text).toContain('<max-clicks type="null"');
    expect(text).toContain('<key name="https://news_example_com" type="int">1</key>');
  });

  it('returns a file for a link without clicks, in every format', async () => {
    const fresh = await aV0Link(service);
    for (const format of ['csv', 'xlsx', 'json', 'xml']) {
      const { answer, bytes } = await fileOf(getPath(service, `/export/${fresh}/${format}`));
      expect(answer.status).toBe(200);
      expect(bytes.length).toBeGreaterThan(0);
    }
  });

  it('checks the format, the code and the password in this order, with JSON on POST and pages on GET', async () => {
    const locked = await aV0Link(service, { password: PASSWORD });
    const hidden = (await aLink(service)).alias;
    await makePrivate(database, hidden);
    for (const [path, status, key, error] of [
      ['nobody/pdf', 400, 'FormatError', 'validation_error'],
      ['nobody/csv', 404, 'UrlError', 'not_found'],
      [`${hidden}/csv`, 404, 'UrlError', 'not_found'],
      [`${locked}/csv`, 400, 'PasswordError', 'validation_error'],
    ] as const) {
      const json = await postForm(service, `/export/${path}`, {}, { accept: 'text/html' });
      expect(json.status).toBe(status);
      expect(json.body).toEqual({ [key]: expect.any(String) });
      const page = await getPath(service, `/export/${path}`, { accept: 'application/json' });
      expect(page.status).toBe(status);
      expect(page.headers['content-type']).toBe('text/html; charset=utf-8');
      expect(page.headers['x-error-code']).toBe(error);
      expect(page.headers['content-disposition']).toBeUndefined();
    }
    const form = await getPath(service, `/export/${locked}/csv`);
    expect(form.text).toContain(`<form method="post" action="/export/${locked}/csv"`);
  });

  it('accepts the password in a form or in the query', async () => {
    const locked = await aV0Link(service, { password: PASSWORD });
    const password = { password: PASSWORD };
    expect((await postForm(service, `/export/${locked}/json`, password)).status).toBe(200);
    expect((await getPath(service, `/export/${locked}/json`, { query: password })).status).toBe(
      200,
    );
    const wrong = await postForm(service, `/export/${locked}/json`, { password: 'Wrong1@xx' });
    expect(wrong.body).toEqual({ PasswordError: expect.any(String) });
  });

  it('allows 10 requests a minute and address, GET and POST together', async () => {
    const address = anAddress();
    for (let i = 0; i < 5; i++) await getPath(service, '/export/nobody/csv', { address });
    for (let i = 0; i < 5; i++) await postForm(service, '/export/nobody/csv', {}, { address });
    const answer = await postForm(service, '/export/nobody/csv', {}, { address, accept: null });
    expect(answer.status).toBe(429);
    expect(answer.body).toEqual({ error: expect.any(String), code: 'rate_limit_exceeded' });
    expect(answer.headers['x-ratelimit-limit']).toBe('10');
  });

  it('returns 404 for similar paths', async () => {
    for (const path of ['/export', '/export/abc', '/export/abc/csv/more']) {
      expect((await getPath(service, path)).status).toBe(404);
    }
  });
});
