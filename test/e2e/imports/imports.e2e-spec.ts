import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import JSZip from 'jszip';
import { Types } from 'mongoose';
import request from 'supertest';
import { ApiClient } from '../../support/api-client';
import { databaseOf } from '../../support/database';
import { anAddress, bearer, visit } from '../../support/http';
import { limitsFile } from '../../support/limits';
import { mailsTo } from '../../support/outbox';
import { eventually, type Service, startService } from '../../support/service';

interface ImportBody {
  id: string;
  kind: string;
  state: string;
  dry_run: boolean;
  counts: Record<string, number>;
  notes: Record<string, number>;
  progress: { done: number; total: number | null; unit: string };
  proof: { rows_ok: boolean; links_ok: boolean; differences: number } | null;
  same_file_as: string | null;
  error: { code: string; error: string } | null;
}

interface UndoBody {
  undo: { state: string; deleted: number; total: number } | null;
  undoable: number;
  undoable_clicked: number;
}

interface RowBody {
  row: number;
  alias: string | null;
  long_url: string | null;
  verdict: string;
  notes: string[];
  message: string | null;
  url_id: string | null;
}

const MAX_BYTES = 65_536;
const UNKNOWN_ID = 'f'.repeat(24);
let aliases = 0;
const anAlias = (): string => `imp.${process.pid}~${++aliases}`;

describe('imports', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'curtail-imports-'));
  let service: Service;
  let owner: ApiClient;

  beforeAll(async () => {
    const rows = ['create', 'read', 'run', 'change', 'rows', 'report'];
    const off = Object.fromEntries(rows.map((row) => [`imports.${row}`, 'off']));
    const limits = limitsFile({ ...off, 'links.create': 'off' });
    const env = { LIMITS_FILE: limits, IMPORT_MAX_BYTES: String(MAX_BYTES) };
    service = await startService({ dataDir, env });
  });
  beforeEach(async () => {
    owner = await ApiClient.on(service);
  });
  afterAll(async () => {
    await service.stop();
    rmSync(dataDir, { recursive: true });
  });

  function send(file: string | Buffer, options?: object, source = 'csv', by = owner): request.Test {
    const call = request(service.url)
      .post('/api/v1/imports')
      .set({ 'X-Forwarded-For': anAddress(), ...bearer(by.account.accessToken) })
      // Sends the file first, because form fields can be in any order.
      .attach('file', Buffer.from(file), 'links.csv')
      .field('source', source);
    return options === undefined ? call : call.field('options', JSON.stringify(options));
  }

  async function ended(id: string): Promise<ImportBody> {
    let now: ImportBody | undefined;
    await eventually(async () => {
      now = (await owner.call('get', `/api/v1/imports/${id}`)).body as ImportBody;
      return ['done', 'failed'].includes(now.state);
    });
    return now as unknown as ImportBody;
  }

  async function checked(...given: Parameters<typeof send>): Promise<ImportBody> {
    const { status, body, headers } = await send(...given);
    expect([status, body]).toEqual([202, expect.objectContaining({ kind: 'import' })]);
    const { id } = body as ImportBody;
    expect(headers.location).toBe(`/api/v1/imports/${id}`);
    return ended(id);
  }

  async function run(id: string, options?: object): Promise<ImportBody> {
    const body = options === undefined ? {} : { options };
    const answer = await owner.call('post', `/api/v1/imports/${id}/run`, body);
    expect([answer.status, answer.body]).toEqual([202, expect.objectContaining({ id })]);
    return ended(id);
  }

  async function rowsOf(id: string, query = ''): Promise<RowBody[]> {
    const { body } = await owner.call('get', `/api/v1/imports/${id}/rows${query}`);
    return (body as { items: RowBody[] }).items;
  }

  const destinationOf = async (alias: string): Promise<string | undefined> =>
    (await visit(service, alias)).headers.location;

  async function found(filter: object): Promise<string[]> {
    const { body } = await owner.list({ filter: JSON.stringify(filter) });
    return (body as { items: { long_url: string }[] }).items.map((link) => link.long_url);
  }

  const linkCount = async (): Promise<number> =>
    ((await owner.list()).body as { total: number }).total;

  it('check first and then run, with a result for each row', async () => {
    const taken = await owner.aLink();
    const [plain, long, other] = [anAlias(), `${'x'.repeat(110)}.${anAlias()}`, anAlias()];
    const file = [
      'Short code,Long URL,Title,Tags,Created,Password,Max clicks,Clicks',
      `${plain},https://a.test/1,"=cmd|' /C",red|blue,2021-05-06 07:08:09,,,`,
      `${long},https://a.test/2,,,,,,`,
      `${taken.alias},https://a.test/3,,,,,,`,
      'a/b,https://a.test/4,,,,,,',
      'api,https://a.test/5,,,,,,',
      `${anAlias()},ftp://a.test/6,,,,,,`,
      `${anAlias()},${service.url}/x,,,,,,`,
      `${plain},https://a.test/1,,,,,,`,
      `${plain},https://a.test/9,,,,,,`,
      '',
      `${other},https://a.test/11,,,soon,secret,10,4`,
      '"broken"x,https://a.test/12',
      'too,many,,,,,,,fields',
      ',https://a.test/14,,,,,,',
    ].join('\n');
    const first = await checked(file);
    expect(first).toMatchObject({
      state: 'done',
      dry_run: true,
      proof: null,
      progress: { done: 13, total: 13, unit: 'rows' },
      counts: {
        created: 3,
        protected_inactive: 1,
        alias_taken: 1,
        alias_unsupported: 1,
        alias_reserved: 1,
        destination_unsupported: 1,
        destination_loop: 1,
        unchanged: 1,
        duplicate_in_file: 1,
        row_unreadable: 2,
      },
      notes: { time_unreadable: 1 },
    });
    expect(await linkCount()).toBe(1);

    const second = await run(first.id);
    expect(second).toMatchObject({
      state: 'done',
      dry_run: false,
      counts: first.counts,
      proof: { rows_ok: true, links_ok: true, differences: 0 },
    });
    const rows = await rowsOf(first.id);
    expect(rows.map(({ row, verdict }) => [row, verdict])).toEqual([
      [2, 'created'],
      [3, 'created'],
      [4, 'alias_taken'],
      [5, 'alias_unsupported'],
      [6, 'alias_reserved'],
      [7, 'destination_unsupported'],
      [8, 'destination_loop'],
      [9, 'unchanged'],
      [10, 'duplicate_in_file'],
      [12, 'protected_inactive'],
      [13, 'row_unreadable'],
      [14, 'row_unreadable'],
      [15, 'created'],
    ]);
    expect(await destinationOf(plain)).toBe('https://a.test/1');
    expect(await destinationOf(long)).toBe('https://a.test/2');
    expect((await visit(service, other)).status).toBe(410);
    const shown = await owner.show(rows[0]?.url_id ?? '');
    expect(shown.body).toMatchObject({
      alias: plain,
      title: "=cmd|' /C",
      created_at: '2021-05-06T07:08:09.000Z',
    });
    const closed = await owner.show(rows[9]?.url_id ?? '');
    expect(closed.body).toMatchObject({ status: 'INACTIVE', max_clicks: 6 });
    expect(await linkCount()).toBe(5);

    const unreadable = await rowsOf(first.id, '?verdict=row_unreadable&pageSize=1&page=2');
    expect(unreadable.map(({ row, message }) => [row, message])).toEqual([
      [14, '9 columns, but the header has 8'],
    ]);
    expect(await rowsOf(first.id, '?verdict=time_unreadable')).toHaveLength(1);

    const report = await owner.call('get', `/api/v1/imports/${first.id}/report.csv`);
    expect(report.headers['content-disposition']).toContain(`curtail-import-${first.id}.csv`);
    const lines = report.text.trim().split('\r\n');
    expect(lines[0]).toBe('row,alias,long_url,verdict,notes,message,url_id');
    expect(lines).toHaveLength(rows.length + 1);

    const again = await owner.call('post', `/api/v1/imports/${first.id}/run`);
    expect([again.status, (again.body as { code: string }).code]).toEqual([409, 'conflict']);
    const odd = { options: { on_conflict: 'x' } };
    const path = `/api/v1/imports/${first.id}/run`;
    expect((await owner.call('post', path, odd)).status).toBe(422);
  });

  it('write formulas as plain text in their report', async () => {
    const rows = ['=1+1,+1,x', '@a,-1,x', '＝a,https://a.test/,x'];
    const { id } = await checked(['alias,url,title', ...rows].join('\n'));
    const report = await owner.call('get', `/api/v1/imports/${id}/report.csv`);
    const cells = report.text.split(/[\r\n]+/).map((line) => line.split(',').slice(1, 3));
    expect(cells.slice(1, 4)).toEqual([
      [`"'=1+1"`, `"'+1"`],
      [`"'@a"`, `"'-1"`],
      [`"'＝a"`, '"https://a.test/"'],
    ]);
    expect(report.text).not.toMatch(/(^|,)"?[=+@＝-]/m);
  });

  it('send an email about a run that took long', async () => {
    const lines = Array.from({ length: 4000 }, () => ',https://a.test/');
    const { id } = await checked(gzipSync(['alias,url', ...lines].join('\n')));
    const database = await databaseOf(service);
    try {
      const jobs = database.collection('jobs');
      const ending = run(id);
      const running = { _id: new Types.ObjectId(id), state: 'running' };
      const long = { $set: { started_at: new Date(Date.now() - 120_000) } };
      await eventually(
        'it runs',
        async () => (await jobs.updateOne(running, long)).matchedCount > 0,
      );
      expect(await ending).toMatchObject({ state: 'done', counts: { created: 4000 } });
    } finally {
      await database.close();
    }
    const mails = mailsTo(service, owner.account.email);
    const told = mails.filter((mail) => mail.includes('Subject: Your import is done'));
    expect(told).toHaveLength(1);
    expect(told[0]).toContain(`/dashboard/import/${id}`);
  });

  it('change nothing with the same file, and add the new rows of a longer file', async () => {
    const names = Array.from({ length: 1200 }, anAlias);
    const line = (alias: string, i: number): string => `${alias},https://a.test/${i}`;
    const lines = ['alias,url', ...names.map(line), ',https://a.test/x', ',https://a.test/x'];
    const packed = gzipSync(lines.join('\r\n'));
    const first = await checked(packed, { dry_run: false });
    expect(first).toMatchObject({ counts: { created: 1202 }, dry_run: false });
    const second = await checked(packed, { dry_run: false });
    expect(second).toMatchObject({ counts: { unchanged: 1202 }, same_file_as: first.id });
    const extra = anAlias();
    const longer = [...lines, `${extra},https://a.test/`].join('\n');
    const zip = await new JSZip().file('links.csv', longer).generateAsync({ type: 'nodebuffer' });
    const third = await checked(zip, { dry_run: false });
    expect(third).toMatchObject({ counts: { created: 1, unchanged: 1202 }, same_file_as: null });
    expect(await linkCount()).toBe(1203);
    expect(await destinationOf(extra)).toBe('https://a.test/');
    const [made] = await rowsOf(third.id, '?verdict=created');
    expect((await owner.remove(made?.url_id ?? '')).status).toBe(200);
    const fourth = await checked(`alias,url\n${extra},https://a.test/`, { dry_run: false });
    expect(fourth.counts).toEqual({ created: 1 });
    expect(await destinationOf(extra)).toBe('https://a.test/');
  });

  it('can be used to list, export and delete their links', async () => {
    const [kept, gone] = [anAlias(), anAlias()];
    await owner.aLink();
    const one = await checked(`alias,url\n${kept},https://a.test/`, { dry_run: false });
    const file = `alias,url\n${gone},https://b.test/\n,https://b.test/`;
    const two = await checked(file, { dry_run: false }, 'bitly_csv');
    expect(await found({ source: one.id })).toEqual(['https://a.test/']);
    expect(await found({ source: two.id })).toEqual(['https://b.test/', 'https://b.test/']);
    expect(await found({ source: 'bitly_csv' })).toHaveLength(2);
    expect(await found({ source: 'bitly_csv', search: gone })).toHaveLength(1);
    expect(await found({ source: 'csv' })).toEqual(['https://a.test/']);
    for (const source of ['dub_csv', UNKNOWN_ID, '']) expect(await found({ source })).toEqual([]);
    const removed = await owner.call('post', '/api/v1/urls/bulk/delete', {
      filter: { source: two.id },
      expected: 2,
    });
    expect(removed.status).toBe(200);
    expect(await found({ source: 'bitly_csv' })).toEqual([]);
    expect(await linkCount()).toBe(2);
    const again = await checked(file, { dry_run: false }, 'bitly_csv');
    expect(again.counts).toEqual({ created: 2 });
    expect(await found({ source: again.id })).toHaveLength(2);
  });

  it('of an exported CSV file keep every setting of the links', async () => {
    const when = [{ field: 'os', values: ['iOS'] }];
    const settings = {
      ...{ private_stats: false, block_bots: true, count_bots: false, forward_query: true },
      starts_at: Math.floor(Date.now() / 1000) + 3600,
      pre_start_url: 'https://a.test/soon',
      expired_redirect_url: 'https://a.test/over',
      rules: [{ when, to: 'https://a.test/ios' }],
      geo_rules: { DE: 'https://a.test/de' },
      ab_variants: [{ url: 'https://a.test/b', weight: 40 }],
      ...{ title: '=SUM(A1)', note: '"a"\n+b', tags: ['+a|b', 'Zoo'] },
    };
    const secret = await owner.aLink({ password: 'secret1@' });
    const disabled = await owner.aLink({ starts_at: settings.starts_at });
    expect((await owner.setStatus(disabled.id, 'INACTIVE')).status).toBe(200);
    const { id } = await owner.aLink(settings);
    const item = async (url: string): Promise<object> => {
      const ignored = { id: null, alias: null, short_url: null };
      return { ...((await owner.show(url)).body as object), ...ignored, created_at: null };
    };
    const before = await item(id);
    expect(before).toMatchObject({ title: '=SUM(A1)', tags: ['+a|b', 'Zoo'], paused: false });
    expect(await item(disabled.id)).toMatchObject({ status: 'INACTIVE', paused: true });
    const csv = (await owner.call('get', '/api/v1/urls/export').query({ format: 'csv' })).text;

    const { id: importId } = await checked(csv, { dry_run: false, on_conflict: 'rename' });
    const [copy, off, closed] = await rowsOf(importId);
    expect(await item(copy?.url_id ?? '')).toEqual(before);
    expect(await item(off?.url_id ?? '')).toEqual(await item(disabled.id));
    expect(closed).toMatchObject({ alias: secret.alias, verdict: 'renamed' });
    expect(await item(closed?.url_id ?? '')).toMatchObject({ status: 'INACTIVE' });
  });

  it('update existing links on request', async () => {
    const [one, two, same] = [anAlias(), anAlias(), anAlias()];
    const before = [
      'alias,url,title,tags,expires,limit',
      `${one},https://a.test/1,Old,"red,blue",,`,
      `${two},https://a.test/2,,,2030-01-01,5`,
      `${same},https://a.test/3,Same,,,`,
    ].join('\n');
    const mapping = { max_clicks: 'limit' };
    const first = await checked(before, { dry_run: false, mapping });
    expect(first.counts).toEqual({ created: 3 });
    const after = [
      'alias,url,title,tags,expires,archived,limit',
      `${one},https://b.test/1,New,Blue,,,`,
      `${two},https://a.test/2,,,,yes,`,
      `${same},https://a.test/3,Same,,,no,`,
    ].join('\n');
    expect(await destinationOf(one)).toBe('https://a.test/1');
    const left = await checked(after, { dry_run: false, mapping });
    expect(left.counts).toEqual({ unchanged: 3 });
    const { id, counts } = await checked(after, { on_existing: 'update', mapping });
    expect(counts).toEqual({ updated: 2, unchanged: 1 });
    expect(await destinationOf(one)).toBe('https://a.test/1');
    const done = await run(id);
    expect(done).toMatchObject({ counts, proof: { links_ok: true, differences: 0 } });
    expect(await destinationOf(one)).toBe('https://b.test/1');
    expect((await visit(service, two)).status).toBe(410);
    const rows = await rowsOf(id);
    expect(rows.map(({ verdict }) => verdict)).toEqual(['updated', 'updated', 'unchanged']);
    const [shown, closed] = await Promise.all(
      rows.slice(0, 2).map(async ({ url_id }) => (await owner.show(url_id ?? '')).body as object),
    );
    expect(shown).toMatchObject({ title: 'New', tags: ['blue'], long_url: 'https://b.test/1' });
    expect(closed).toMatchObject({ status: 'INACTIVE', expire_after: null, max_clicks: null });
    expect(await found({ source: first.id })).toHaveLength(3);
    // Missing columns change nothing.
    const bare = await checked(`alias,url\n${one},https://c.test/`, {
      dry_run: false,
      on_existing: 'update',
    });
    expect(bare.counts).toEqual({ updated: 1 });
    const kept = await owner.show(rows[0]?.url_id ?? '');
    expect(kept.body).toMatchObject({ title: 'New', tags: ['blue'], long_url: 'https://c.test/' });
  });

  it('can be undone in one job', async () => {
    const [one, two, three] = [anAlias(), anAlias(), anAlias()];
    const file = `alias,url\n${one},https://a.test/1\n${two},https://a.test/2`;
    const { id } = await checked(file, { dry_run: false, tags: ['old'] });
    const later = `${file}\n${three},https://a.test/3`.replace('a.test/1', 'b.test/1');
    const other = await checked(later, { dry_run: false, on_existing: 'update' });
    expect(other.counts).toEqual({ updated: 1, unchanged: 1, created: 1 });
    const read = async (which: string) =>
      (await owner.call('get', `/api/v1/imports/${which}`)).body as UndoBody;
    const undo = (which: string, body: object) =>
      owner.call('post', `/api/v1/imports/${which}/undo`, body);
    const { headers } = await visit(service, two);
    expect(headers.location).toBe('https://a.test/2');
    const isClicked = async () => (await read(id)).undoable_clicked === 1;
    await eventually('the click is counted', isClicked);
    expect(await read(id)).toMatchObject({ undo: null, undoable: 2, undoable_clicked: 1 });
    expect(await read(other.id)).toMatchObject({ undoable: 1, undoable_clicked: 0 });
    for (const [which, body, status] of [
      [id, {}, 422],
      [id, { expected: -1 }, 422],
      [UNKNOWN_ID, { expected: 2 }, 404],
    ] as const) {
      expect((await undo(which, body)).status).toBe(status);
    }
    const changed = await undo(id, { expected: 3 });
    expect([changed.status, changed.body]).toEqual([
      409,
      expect.objectContaining({ code: 'conflict', details: { found: 2 } }),
    ]);
    expect((await undo(id, { expected: 2 })).status).toBe(202);
    const isUndone = async () => (await read(id)).undo?.state === 'done';
    await eventually('the undo has ended', isUndone);
    expect(await read(id)).toMatchObject({
      state: 'done',
      counts: { created: 2 },
      undo: { state: 'done', deleted: 2, total: 2 },
      undoable: 0,
      undoable_clicked: 0,
    });
    expect(await rowsOf(id)).toHaveLength(2);
    await eventually(async () => (await visit(service, one)).status === 404);
    expect((await visit(service, two)).status).toBe(404);
    expect(await destinationOf(three)).toBe('https://a.test/3');
    expect(await linkCount()).toBe(1);
    expect((await owner.call('get', '/api/v1/tags')).body).toMatchObject({
      tags: [expect.objectContaining({ name: 'old' })],
    });
    expect((await undo(id, { expected: 2 })).body).toMatchObject({ details: { found: 0 } });
    const again = await checked(file, { dry_run: false });
    expect(again.counts).toEqual({ created: 2 });
  });

  it('keep aliases and destinations that new links cannot have, even when a link is changed', async () => {
    const alias = `${anAlias()}.${'y'.repeat(60)}`;
    const longUrl = `https://a.test/${'z'.repeat(5000)}`;
    const { id } = await checked(`alias,url\n${alias},${longUrl}`, { dry_run: false });
    const [row] = await rowsOf(id);
    const link = row?.url_id ?? '';
    const same = await owner.update(link, { alias, long_url: longUrl, title: 'Here' });
    expect([same.status, same.body]).toEqual([
      200,
      expect.objectContaining({ alias, long_url: longUrl, title: 'Here' }),
    ]);
    expect(same.body).not.toHaveProperty('hint');
    expect(await destinationOf(alias)).toBe(longUrl);
    const refused: [object, string][] = [
      [{ alias: `${alias}y` }, 'alias'],
      [{ alias: 'a~b' }, 'alias'],
      [{ long_url: `${longUrl}z` }, 'long_url'],
      [{ long_url: `https://a.test/${'z'.repeat(9000)}` }, 'long_url'],
    ];
    for (const [body, field] of refused) {
      const answer = await owner.update(link, body);
      expect([body, answer.status, answer.body.field]).toEqual([body, 422, field]);
    }
    const bulk = await owner.call('post', '/api/v1/urls/bulk/update', {
      ids: [link],
      set: { long_url: longUrl },
    });
    expect([bulk.status, bulk.body.field]).toEqual([422, 'set.long_url']);
  });

  it('skip, rename or reject taken aliases', async () => {
    const { alias } = await owner.aLink();
    const fresh = anAlias();
    const file = `alias,url\n${fresh},https://a.test/1\n${alias},https://a.test/2\n`;
    const { id } = await checked(file);
    const refused = await run(id, { on_conflict: 'fail' });
    expect(refused).toMatchObject({ state: 'failed', error: { code: 'conflict' } });
    expect(await linkCount()).toBe(1);
    const renamed = await run(id, { on_conflict: 'rename' });
    expect(renamed).toMatchObject({ counts: { created: 1, renamed: 1 }, error: null });
    const row = (await rowsOf(id))[1];
    const link = (await owner.show(row?.url_id ?? '')).body as { alias: string; long_url: string };
    expect(link).toMatchObject({ long_url: 'https://a.test/2' });
    expect(row?.message).toBe(`${alias} is taken: the link is ${link.alias} here`);
    const again = await checked(file, { dry_run: false, on_conflict: 'rename' });
    expect(again.counts).toEqual({ unchanged: 2 });
  });

  it.each<[string, Buffer]>([
    ['UTF-16', Buffer.from('\ufeffalias;url;title\r\n#;https://a.test/;Größe\r\n', 'utf16le')],
    [
      'UTF-16 of the other order',
      Buffer.from('\ufeffalias;url;title\n#;https://a.test/;Größe', 'utf16le').swap16(),
    ],
    ['a mark', Buffer.from('\ufeffalias\turl\ttitle\n#\thttps://a.test/\tGröße\n')],
    ['Windows-1252', Buffer.from('alias,url,title\r#,https://a.test/,Größe\r', 'latin1')],
  ])('can be read in %s', async (name, file) => {
    const alias = anAlias().padEnd(16, '_');
    const width = name.startsWith('UTF-16') ? 2 : 1;
    const at = file.indexOf('#') - (name.endsWith('order') ? 1 : 0);
    const encoded = width === 1 ? Buffer.from(alias) : Buffer.from(alias, 'utf16le');
    if (name.endsWith('order')) encoded.swap16();
    const whole = Buffer.concat([file.subarray(0, at), encoded, file.subarray(at + width)]);
    const { id } = await checked(whole, { dry_run: false, tags: ['old'] });
    const [row] = await rowsOf(id);
    expect(row).toMatchObject({ verdict: 'created', alias });
    expect(row?.notes).toEqual(name === 'Windows-1252' ? ['encoding_guessed'] : []);
    const link = await owner.show(row?.url_id ?? '');
    expect(link.body).toMatchObject({ title: 'Größe', tags: ['old'] });
  });

  it.each([
    ['yourls_csv', 'source,target,hits\n/NAME/,https://a.test/,1234'],
    ['csv', 'slashtag,destination,clicks\nNAME,https://a.test/,"1,234"'],
    ['csv', 'originalURL,path,clicks\nhttps://a.test/,NAME,1.234'],
    ['csv', 'sep=;\nurl;alias;clicks\nhttps://a.test/;NAME;1 234'],
    ['csv', '"url", "alias", "clicks"\n"https://a.test/", "NAME", "1234"'],
    ['csv', 'url,alias,clicks,title,tags\nhttps://a.test/,NAME,1234'],
    ['csv', 'url,alias,clicks,tags,created\nhttps://a.test/,NAME,1234,[],2021-05-06 07:08:09 UTC'],
  ])('of %s accept the format of other programs: %j', async (source, file) => {
    const alias = anAlias();
    const done = await checked(file.replace('NAME', alias), { dry_run: false }, source);
    expect(done).toMatchObject({ counts: { created: 1 }, notes: {} });
    const [row] = await rowsOf(done.id);
    const { body } = await owner.list();
    expect((body as { items: object[] }).items).toMatchObject([
      { id: row?.url_id, alias, long_url: 'https://a.test/', imported_clicks: 1234, tags: [] },
    ]);
  });

  it('report that links from a file without an alias column get new aliases', async () => {
    const done = await checked('destination,title\nhttps://a.test/,One\n');
    expect(done).toMatchObject({ counts: { created: 1 }, notes: { alias_generated: 1 } });
    expect(await rowsOf(done.id, '?verdict=alias_generated')).toHaveLength(1);
  });

  it('select links of one domain, from chosen columns', async () => {
    const [ours, theirs] = [anAlias(), anAlias()];
    const file = `A,B\nhttps://go.test/${ours},https://a.test/\nx.test/${theirs},https://a.test/\n`;
    const unclear = await send(file);
    expect(unclear.status).toBe(400);
    expect(unclear.body).toMatchObject({
      field: 'options.mapping',
      details: {
        columns: [{ name: 'A' }, { name: 'B', examples: ['https://a.test/', 'https://a.test/'] }],
      },
    });
    const mapping = { long_url: 'B', short_url: 'A' };
    const done = await checked(file, { mapping, short_domain: 'GO.test', dry_run: false });
    expect(done.counts).toEqual({ created: 1 });
    expect(await destinationOf(ours)).toBe('https://a.test/');
  });

  const GOOD = 'alias,url\n,https://a.test/\n';

  it.each<[string, () => request.Test, number, string]>([
    [
      'can be limited to links of one domain, from chosen columns',
      () => send(GOOD, { colour: 1 }),
      422,
      'options.colour',
    ],
    ['an unknown column', () => send(GOOD, { mapping: { alias: 'Z' } }), 400, 'options.mapping'],
    ['JSON', () => owner.call('post', '/api/v1/imports', { source: 'csv' }), 422, 'file'],
  ])('are rejected with %s', async (_name, call, status, field) => {
    const answer = await call();
    expect([answer.status, (answer.body as { field: string }).field]).toEqual([status, field]);
  });

  it.each<[string, string, string]>([
    ['no boundary', 'multipart/form-data', GOOD],
    ['another one', 'multipart/form-data; boundary=y', `--x\r\n\r\n${GOOD}\r\n--x--\r\n`],
    [
      'half a file',
      'multipart/form-data; boundary=x',
      `--x\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\n${GOOD}`,
    ],
  ])('are rejected in a form with %s, and leave no file', async (_name, type, form) => {
    const before = readdirSync(join(dataDir, 'imports')).length;
    const { status, body } = await request(service.url)
      .post('/api/v1/imports')
      .set({ 'Content-Type': type, ...bearer(owner.account.accessToken) })
      .send(form);
    expect([status, body]).toEqual([400, expect.objectContaining({ code: 'validation_error' })]);
    expect(readdirSync(join(dataDir, 'imports'))).toHaveLength(before);
  });

  it('are rejected if they are too large, and leave no file', async () => {
    const before = readdirSync(join(dataDir, 'imports')).length;
    const large = await send(`alias,url\n${'x'.repeat(MAX_BYTES)}`);
    expect(large.status).toBe(413);
    expect(readdirSync(join(dataDir, 'imports'))).toHaveLength(before);
  });

  it.each<[string, Buffer, RegExp]>([
    ['empty', Buffer.alloc(0), /empty/],
    ['a ZIP', Buffer.from('PK\u0003\u0004xx'), /a broken ZIP file/],
    ['binary', Buffer.from([1, 0, 2, 10, 3]), /without a header/],
    ['a broken gzip', Buffer.from([0x1f, 0x8b, 8, 0, 1, 2, 3]), /broken gzip/],
    ['a gzip bomb', gzipSync(Buffer.alloc(20_000_000, 97)), /unpacks to more than 262144 bytes/],
  ])('fail for a file that is %s', async (_name, file, message) => {
    const { state, error } = await checked(file);
    expect([state, error?.code]).toEqual(['failed', 'validation_error']);
    expect(error?.error).toMatch(message);
  });

  it('are available only to their owner, and are removed with their file', async () => {
    const { id } = await checked(GOOD, { dry_run: false });
    const other = await ApiClient.on(service);
    const path = `/api/v1/imports/${id}`;
    const calls = [
      ['get', path],
      ['get', `${path}/rows`],
      ['get', `${path}/report.csv`],
      ['post', `${path}/run`],
      ['post', `${path}/cancel`],
      ['delete', path],
    ] as const;
    for (const [method, to] of calls) {
      expect([
        to,
        (await other.call(method, to, method === 'post' ? {} : undefined)).status,
      ]).toEqual([to, 404]);
      const unknown = to.replace(id, UNKNOWN_ID);
      expect((await owner.call(method, unknown, method === 'post' ? {} : undefined)).status).toBe(
        404,
      );
    }
    const listed = (await owner.call('get', '/api/v1/imports')).body as { items: ImportBody[] };
    expect(listed.items.map((item) => item.id)).toEqual([id]);
    const files = readdirSync(join(dataDir, 'imports')).length;
    expect((await owner.call('delete', path)).body).toEqual({ message: 'Import removed', id });
    expect(readdirSync(join(dataDir, 'imports')).length).toBeLessThan(files);
    expect((await owner.call('get', path)).status).toBe(404);
    expect(await linkCount()).toBe(1);
  });
});
