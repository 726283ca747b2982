import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import JSZip from 'jszip';
import request from 'supertest';
import { ApiClient } from '../../support/api-client';
import { clearOfHourEnd } from '../../support/clear-of-hour-end';
import { journalEmpty } from '../../support/exact-clicks';
import { anAddress, bearer, visit } from '../../support/http';
import { limitsFile } from '../../support/limits';
import { eventually, type Service, startService } from '../../support/service';

interface ImportBody {
  id: string;
  state: string;
  counts: Record<string, number>;
  history: Record<string, number>;
  proof: Record<string, unknown> | null;
}

interface StatsBody {
  summary: { total_clicks: number; unique_clicks: number };
  imported?: { clicks: number };
}

const NO_TIME = {
  source: 'csv',
  from: null,
  to: null,
  granularity: 'total',
  timezone: 'UTC',
  by_time: [],
  by: {},
  cut: false,
  filtered: false,
};
const OLD = { start_date: '2001-01-01', end_date: '2001-01-02' };
let aliases = 0;
const anAlias = (): string => `cnt-${process.pid}-${++aliases}`;

describe('imported click counts', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'curtail-counts-'));
  let service: Service;
  let owner: ApiClient;

  beforeAll(async () => {
    const rows = ['create', 'read', 'run', 'change', 'rows'].map((row) => `imports.${row}`);
    const off = [...rows, 'stats.account', 'stats.link', 'stats.public', 'export.account'];
    const limits = limitsFile(Object.fromEntries(off.map((row) => [row, 'off'])));
    service = await startService({ dataDir, env: { LIMITS_FILE: limits } });
  });
  beforeEach(async () => {
    owner = await ApiClient.on(service);
  });
  afterAll(async () => {
    await service.stop();
    rmSync(dataDir, { recursive: true });
  });

  async function ended(id: string): Promise<ImportBody> {
    let now: ImportBody | undefined;
    await eventually(async () => {
      now = (await owner.call('get', `/api/v1/imports/${id}`)).body as ImportBody;
      return ['done', 'failed'].includes(now.state);
    });
    return now as unknown as ImportBody;
  }

  async function imported(file: string, options: object = {}): Promise<ImportBody> {
    const { status, body } = await request(service.url)
      .post('/api/v1/imports')
      .set({ 'X-Forwarded-For': anAddress(), ...bearer(owner.account.accessToken) })
      .attach('file', Buffer.from(file), 'links.csv')
      .field('source', 'csv')
      .field('options', JSON.stringify({ dry_run: false, ...options }));
    expect(status).toBe(202);
    return ended((body as ImportBody).id);
  }

  async function stats(query: object = {}, path = '/api/v1/stats'): Promise<StatsBody> {
    const answer = await owner.call('get', path).query({ scope: 'all', ...query });
    expect(answer.status).toBe(200);
    return answer.body as StatsBody;
  }

  async function idsByAlias(): Promise<Map<string, { id: string; imported_clicks?: number }>> {
    const { items } = (await owner.list()).body as {
      items: { id: string; alias: string; imported_clicks?: number }[];
    };
    return new Map(items.map((item) => [item.alias, item]));
  }

  it('appear next to clicks in lists, statistics and files, and are deleted with their link', async () => {
    const [one, two, none] = [anAlias(), anAlias(), anAlias()];
    const { alias: taken } = await owner.aLink();
    expect((await stats()).imported).toBeUndefined();
    const done = await imported(
      [
        'Alias,URL,Clicks,Max clicks',
        `${one},https://a.test/1,380,1000`,
        `${two},https://a.test/2,20,`,
        `${none},https://a.test/3,0,`,
        `${taken},https://a.test/4,7,`,
        `${one},https://a.test/1,380,`,
      ].join('\n'),
    );
    expect(done).toMatchObject({
      counts: { created: 3, alias_taken: 1, unchanged: 1 },
      history: { clicks: 0, counted_clicks: 400, dropped_clicks: 7, links_with_history: 2 },
      proof: { rows_ok: true, links_ok: true, clicks_ok: true, differences: 0 },
    });
    await clearOfHourEnd();
    expect((await visit(service, one)).status).toBe(302);
    // Statistics count a click before lists do.
    await journalEmpty(dataDir);

    const items = await idsByAlias();
    expect(items.get(one)).toMatchObject({
      imported_clicks: 380,
      total_clicks: 1,
      max_clicks: 620,
    });
    expect(items.get(none)).not.toHaveProperty('imported_clicks');
    const { id } = items.get(one) ?? { id: '' };
    const tagged = await owner.update(id, { tags: ['moved'] });
    expect(tagged.status).toBe(200);
    const byClicks = await owner.list({ sortBy: 'total_clicks', sums: 'true' });
    expect(byClicks.body).toMatchObject({
      items: [{ alias: one }, { alias: two }, {}, {}],
      total_clicks: 1,
      imported_clicks: 400,
    });
    const overview = await owner.call('get', '/api/v1/overview');
    expect(overview.body).toMatchObject({
      clicks: { today: 1, imported_clicks: 400 },
      hot: [{ alias: one, imported_clicks: 380, recent_clicks: 1 }],
    });
    const tags = await owner.call('get', '/api/v1/tags');
    expect(tags.body.tags).toMatchObject([{ name: 'moved', links: 1, imported_clicks: 380 }]);
    const links = await owner.call('get', '/api/v1/urls/export').query({ format: 'csv' });
    expect(links.text).toMatch(new RegExp(`"${one}".*,380,,false\r\n`));
    expect((await owner.show(id)).body).toMatchObject({ imported_clicks: 380, total_clicks: 1 });

    expect(await stats({ ...OLD, browser: 'Nothing', audience: 'bot' })).toMatchObject({
      summary: { total_clicks: 0 },
      imported: { ...NO_TIME, clicks: 400 },
    });
    expect((await stats({ short_code: two })).imported).toEqual({ ...NO_TIME, clicks: 20 });
    expect((await stats({ short_code: `${one},${none}` })).imported?.clicks).toBe(380);
    expect((await stats({ short_code: none })).imported).toBeUndefined();
    expect(await stats({}, `/api/v1/stats/links/${id}`)).toMatchObject({
      summary: { total_clicks: 1, unique_clicks: 1 },
      computed_metrics: { average_clicks_per_visitor: 1 },
      imported: { ...NO_TIME, clicks: 380 },
    });
    expect((await owner.update(id, { private_stats: false })).status).toBe(200);
    const open = await request(service.url).get(`/api/v1/public/stats/${one}`);
    expect(open.body).toMatchObject({ stats: { imported: { ...NO_TIME, clicks: 380 } } });
    const page = await request(service.url).get(`/stats/${one}`).set('Accept', 'text/html');
    expect(page.text).toContain('1 + 380 imported');

    const json = await stats({ format: 'json' }, '/api/v1/export');
    expect(json.imported).toEqual({ ...NO_TIME, clicks: 400 });
    const file = async (format: string): Promise<Buffer> => {
      const call = owner.call('get', '/api/v1/export').query({ scope: 'all', format });
      return (await call.responseType('blob')).body as Buffer;
    };
    const zip = await JSZip.loadAsync(await file('csv'));
    expect(await zip.file('imported_by_time.csv')?.async('text')).toBe(
      'time,clicks\r\n"total",400\r\n',
    );
    expect((await file('xml')).toString()).toContain('<granularity type="str">total</granularity>');

    expect((await owner.remove(id)).status).toBe(200);
    expect((await stats(OLD)).imported?.clicks).toBe(20);
    const many = { ids: [items.get(two)?.id] };
    expect((await owner.call('post', '/api/v1/urls/bulk/delete', many)).status).toBe(200);
    expect((await stats(OLD)).imported).toBeUndefined();
  });

  it('are omitted on request, and added in a later run', async () => {
    const alias = anAlias();
    const file = `alias,url,clicks\n${alias},https://a.test/,12\n`;
    const without = await imported(file, { history: 'none' });
    expect(without).toMatchObject({
      counts: { created: 1 },
      history: { counted_clicks: 0, dropped_clicks: 0, links_with_history: 0 },
      proof: { clicks_ok: true, differences: 0 },
    });
    expect((await idsByAlias()).get(alias)).not.toHaveProperty('imported_clicks');

    const other = anAlias();
    const checked = await imported(`alias,url,clicks\n${other},https://a.test/,12\n`, {
      dry_run: true,
      history: 'none',
    });
    expect((await stats()).imported).toBeUndefined();
    const path = `/api/v1/imports/${checked.id}/run`;
    expect((await owner.call('post', path, { options: { history: 'counts' } })).status).toBe(202);
    expect((await ended(checked.id)).history.counted_clicks).toBe(12);
    expect((await idsByAlias()).get(other)?.imported_clicks).toBe(12);
    const [odd, late] = ['some', 'counts'].map((history) => ({ options: { history } }));
    expect((await owner.call('post', path, odd)).status).toBe(422);
    expect((await owner.call('post', path, late)).status).toBe(409);
  });

  it('belong to the custom back-half if a row has two links', async () => {
    const [random, custom] = [anAlias(), anAlias()];
    const file = `Link,Custom link,URL,Clicks\nb.test/${random},b.test/${custom},https://a.test/,9\n`;
    expect((await imported(file)).history).toMatchObject({
      counted_clicks: 9,
      links_with_history: 1,
    });
    const items = await idsByAlias();
    expect(items.get(custom)?.imported_clicks).toBe(9);
    expect(items.get(random)).not.toHaveProperty('imported_clicks');
  });
});
