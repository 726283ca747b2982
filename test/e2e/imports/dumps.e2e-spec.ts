import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import bcrypt from 'bcrypt';
import { type Connection, Types } from 'mongoose';
import request from 'supertest';
import { aClick } from '../../support/shared/click.factory';
import { anAccountExport } from '../../support/account-export';
import { ApiClient } from '../../support/api-client';
import { journalEmpty } from '../../support/exact-clicks';
import { anAddress, bearer, visit } from '../../support/http';
import { limitsFile } from '../../support/limits';
import { eventually, type Service, startService } from '../../support/service';
import { openTestDatabase } from '../../support/test-database';

const FIXTURES = join(__dirname, '../../fixtures/dumps');

interface ImportBody {
  id: string;
  state: string;
  counts: Record<string, number>;
  notes: Record<string, number>;
  history: Record<string, number>;
  proof: { differences: number } | null;
  error: { code: string; error: string } | null;
}

describe('imports of dumps and exports', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'curtail-dumps-'));
  let service: Service;
  let owner: ApiClient;
  let database: Connection;

  beforeAll(async () => {
    const rows = ['create', 'read', 'run', 'change', 'rows', 'report'];
    const off = Object.fromEntries(rows.map((row) => [`imports.${row}`, 'off']));
    service = await startService({ dataDir, env: { LIMITS_FILE: limitsFile(off) } });
    owner = await ApiClient.on(service);
    database = await openTestDatabase(service.mongoUri);
  });
  afterAll(async () => {
    await database.close();
    await service.stop();
    rmSync(dataDir, { recursive: true });
  });

  async function imported(
    file: string | Buffer,
    source: string,
    options: object = {},
  ): Promise<ImportBody> {
    const { status, body } = await request(service.url)
      .post('/api/v1/imports')
      .set({ 'X-Forwarded-For': anAddress(), ...bearer(owner.account.accessToken) })
      .field('source', source)
      .field('options', JSON.stringify({ dry_run: false, ...options }))
      .attach('file', Buffer.from(file), 'dump.sql');
    expect([status, body]).toEqual([202, expect.objectContaining({ kind: 'import', columns: [] })]);
    let now: ImportBody | undefined;
    await eventually(async () => {
      const path = `/api/v1/imports/${(body as ImportBody).id}`;
      now = (await owner.call('get', path)).body as ImportBody;
      return ['done', 'failed'].includes(now.state);
    });
    return now as unknown as ImportBody;
  }

  const destinationOf = async (alias: string): Promise<string | undefined> =>
    (await visit(service, alias)).headers.location;

  it('import each link of YOURLS only once', async () => {
    const dump = readFileSync(join(FIXTURES, 'yourls-mysqldump.sql'));
    const first = await imported(dump, 'yourls_sql');
    expect(first).toMatchObject({
      state: 'done',
      counts: { created: 4 },
      proof: { differences: 0 },
    });
    expect(await destinationOf('with.dot~1')).toBe('https://example.com/\\back');
    expect(await destinationOf('late')).toBe('https://example.com/late');
    expect((await imported(dump, 'yourls_sql')).counts).toEqual({ unchanged: 4 });
    expect(first.history).toMatchObject({ clicks: 2, counted_clicks: 6, dropped_clicks: 0 });
  });

  it('import clicks of YOURLS, and recognise the same visitors after the move', async () => {
    const stats = async () => {
      const query = { scope: 'all', short_code: 'ozh', group_by: 'country,referrer' };
      return (await owner.call('get', '/api/v1/stats').query(query)).body as {
        summary: Record<string, unknown>;
        metrics: Record<string, unknown[]>;
        imported?: unknown;
      };
    };
    const before = await stats();
    expect(before.summary).toMatchObject({
      unique_clicks: 2,
      first_click: '2021-01-01T00:00:00.000Z',
    });
    expect(before.metrics.clicks_by_referrer).toContainEqual(
      expect.objectContaining({ referrer: 'https://t.co', clicks: 1 }),
    );
    expect(before.imported).toBeUndefined();
    const agent = "Mozilla/5.0 (X11; Linux x86_64) (it's; 'a' browser)";
    const again = await request(service.url)
      .get('/ozh')
      .set({ 'X-Forwarded-For': '203.0.113.7', 'User-Agent': agent });
    expect(again.status).toBe(302);
    const clicks = Number(before.summary.total_clicks);
    await journalEmpty(dataDir);
    expect((await stats()).summary.total_clicks).toBe(clicks + 1);
    expect((await stats()).summary.unique_clicks).toBe(2);
  });

  it('import click limits, reduced by the clicks so far', async () => {
    const some = Array.from({ length: 3 }, (_, i) => aClick({ at: Date.UTC(2025, 0, 1 + i) }));
    const ids = ['1', '2'].map((digit) => digit.repeat(24)) as [string, string];
    const shared = { long_url: 'https://a.test/', total_clicks: 3, created_at: 1_700_000_000 };
    const expired = { expired_redirect_url: 'https://a.test/over' };
    const file = (name: string) =>
      anAccountExport(
        [
          { ...shared, ...expired, ...{ id: ids[0], alias: `${name}-over`, max_clicks: 3 } },
          { ...shared, ...expired, ...{ id: ids[1], alias: `${name}-some`, max_clicks: 4 } },
        ].map((item) => ({ ...item, status: item.max_clicks === 3 ? 'INACTIVE' : 'ACTIVE' })),
        new Map(ids.map((id) => [id, some])),
      );
    const used = await imported(await file('used'), 'curtail');
    expect(used).toMatchObject({ counts: { created: 2 }, proof: { differences: 0 } });
    expect(await destinationOf('used-over')).toBe('https://a.test/over');
    expect(await destinationOf('used-some')).toBe('https://a.test/');
    expect(await destinationOf('used-some')).toBe('https://a.test/over');

    const { items } = (await owner.list()).body as { items: { id: string; alias: string }[] };
    const made = items.filter(({ alias }) => alias.startsWith('used-'));
    for (const { id } of made) await owner.remove(id);
    const lowered = await imported(await file('low'), 'curtail', { history: 'counts' });
    expect(lowered).toMatchObject({ counts: { created: 2 }, history: { clicks: 0 } });
    expect((await visit(service, 'low-over')).status).toBe(410);
    expect(await destinationOf('low-some')).toBe('https://a.test/');
    expect(await destinationOf('low-some')).toBe('https://a.test/over');
  });

  it('do not add recorded clicks to imported counts when a run continues', async () => {
    const dump = [
      "INSERT INTO yourls_url (keyword, url, clicks) VALUES ('on-again', 'https://a.test/', 1);",
      'INSERT INTO yourls_log (click_time, shorturl, referrer, user_agent, ip_address, country_code)',
      "VALUES ('2021-01-01 00:00:00', 'on-again', 'direct', '', '203.0.113.9', '');",
    ].join('\n');
    const { id, history: taken } = await imported(dump, 'yourls_sql');
    expect(taken).toMatchObject({ clicks: 1, counted_clicks: 0 });
    await database
      .collection('jobs')
      .updateOne({ _id: new Types.ObjectId(id) }, { $set: { state: 'cancelled' } });
    await database
      .collection('imports')
      .updateOne({ _id: new Types.ObjectId(id) }, { $set: { proof: null } });
    for (const history of ['counts', 'none']) {
      const options = { history };
      const answer = await owner.call('post', `/api/v1/imports/${id}/run`, { options });
      expect([answer.status, answer.body]).toEqual([
        409,
        expect.objectContaining({ code: 'conflict' }),
      ]);
    }
    expect((await owner.call('post', `/api/v1/imports/${id}/run`)).status).toBe(202);
  });

  it('import the passwords of Kutt, which are hashed again at the first correct entry', async () => {
    const hash = await bcrypt.hash('secret of 2020', 4);
    const values = `'kuttlock','https://example.com/locked','${hash}','uuid-1'`;
    const dump = `INSERT INTO links (address,target,password,uuid) VALUES (${values});`;
    expect((await imported(dump, 'kutt_sql')).counts).toEqual({ created: 1 });

    const enter = (password: string) =>
      request(service.url)
        .post('/kuttlock/password')
        .set('X-Forwarded-For', anAddress())
        .type('form')
        .send({ password });
    expect((await visit(service, 'kuttlock')).status).toBe(401);
    expect((await enter('secret of 2021')).status).toBe(401);
    const stored = async (): Promise<string> => {
      const link = await database.collection('links').findOne({ alias: 'kuttlock' });
      return String(link?.password_hash);
    };
    expect(await stored()).toBe(`foreign:${hash}`);
    const opened = await enter('secret of 2020');
    expect([opened.status, opened.headers.location]).toEqual([303, 'https://example.com/locked']);
    await eventually(async () => !(await stored()).startsWith('foreign:'));
    expect((await enter('secret of 2020')).status).toBe(303);
    expect((await enter('secret of 2021')).status).toBe(401);
  });

  it('import the hourly counts of Kutt, which are shown next to the clicks', async () => {
    const dump = readFileSync(join(FIXTURES, 'kutt-pg_dump.sql'));
    const first = await imported(dump, 'kutt_sql');
    expect(first).toMatchObject({
      state: 'done',
      notes: { history_partial: 1 },
      history: { clicks: 0, counted_clicks: 4, dropped_clicks: 0, links_with_history: 1 },
      proof: { clicks_ok: true, differences: 0 },
    });
    const query = { scope: 'all', short_code: 'Kutt1', start_date: '2022-01-01' };
    const { body } = await owner.call('get', '/api/v1/stats').query(query);
    expect(body).toMatchObject({
      summary: { total_clicks: 0 },
      imported: {
        source: 'kutt_sql',
        clicks: 2,
        granularity: 'hour',
        timezone: 'UTC',
        from: '2022-01-05T10:11:12.000Z',
        by_time: [{ time: '2022-01-05T10:00:00.000Z', clicks: 2 }],
        by: {
          browser: [{ value: 'Chrome', clicks: 2 }],
          country: [{ value: 'United States', clicks: 2 }],
          os: [{ value: 'Windows', clicks: 2 }],
          referrer: [{ value: 'Direct', clicks: 2 }],
        },
        cut: true,
      },
    });
    const { items } = (await owner.list()).body as { items: { alias: string }[] };
    expect(items.find(({ alias }) => alias === 'Kutt1')).toMatchObject({ imported_clicks: 4 });
  });

  it('fail for other SQL files, and leave only the file', async () => {
    const before = readdirSync(join(dataDir, 'imports')).length;
    const { state, error } = await imported('CREATE TABLE `posts` (`id` int);', 'yourls_sql');
    expect([state, error?.code]).toEqual(['failed', 'validation_error']);
    expect(error?.error).toMatch(/keyword and url; it has posts/);
    expect(readdirSync(join(dataDir, 'imports'))).toHaveLength(before + 1);
  });
});
