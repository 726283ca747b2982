import { Types } from 'mongoose';
import { ApiClient } from '../../support/api-client';
import { databaseOf } from '../../support/database';
import { aKuttLink, type KuttLink, kuttService } from '../../support/imports/kutt-service';
import { Answer, JsonService } from '../../support/imports/json-service';
import { aShlinkVisit, ShlinkService } from '../../support/imports/shlink-service';
import { visit } from '../../support/http';
import { limitsFile } from '../../support/limits';
import { jobsPids } from '../../support/processes';
import { eventually, type Service, startService } from '../../support/service';

const KEY = 'a-key-that-nobody-may-read';

interface ImportBody {
  readonly id: string;
  readonly state: string;
  readonly counts: Record<string, number>;
  readonly notes: Record<string, number>;
  readonly history: Record<string, number>;
  readonly proof: { differences: number } | null;
  readonly error: { code: string; error: string } | null;
  readonly last_sync_at: number | null;
}

interface LinkBody {
  readonly id: string;
  readonly alias: string;
  readonly status: string;
  readonly note: string;
  readonly long_url: string;
  readonly total_clicks: number;
  readonly imported_clicks?: number;
}

describe('imports from services', () => {
  let service: Service;
  let owner: ApiClient;
  let prefix: string;
  let accounts = 0;
  const running: JsonService[] = [];

  beforeAll(async () => {
    const rows = ['create', 'read', 'run', 'change', 'rows'].map((row) => `imports.${row}`);
    const limits = limitsFile(Object.fromEntries(rows.map((row) => [row, 'off'])));
    const env = { LIMITS_FILE: limits, OUTBOUND_ALLOWED_NETWORKS: '127.0.0.1' };
    service = await startService({ env });
  });
  beforeEach(async () => {
    owner = await ApiClient.on(service);
    prefix = `s${process.pid}-${++accounts}-`;
  });
  afterEach(() => running.splice(0).forEach((one) => one.stop()));
  afterAll(async () => {
    expect(service.log()).not.toContain(KEY);
    await service.stop();
  });

  function started(one: JsonService): Promise<string> {
    running.push(one);
    return one.start();
  }

  async function inState(id: string, ...states: string[]): Promise<ImportBody> {
    let now: ImportBody | undefined;
    const probe = async (): Promise<boolean> => {
      now = (await owner.call('get', `/api/v1/imports/${id}`)).body as ImportBody;
      return states.includes(now.state);
    };
    // After a kill the import continues once its lease expires.
    await eventually(`the import is ${states.join(' or ')}`, probe, 240_000);
    return now as unknown as ImportBody;
  }
  const ended = (id: string) => inState(id, 'done', 'failed');

  async function begin(source: string, base_url: string, options: object = {}): Promise<string> {
    const whole = { dry_run: false, ...options };
    const body = { source, base_url, credential: KEY, options: whole };
    const made = await owner.call('post', '/api/v1/imports', body);
    expect([made.status, made.body]).toEqual([202, expect.objectContaining({ kind: 'import' })]);
    expect(JSON.stringify(made.body)).not.toContain(KEY);
    return (made.body as ImportBody).id;
  }

  async function sync(id: string, body: object = {}): Promise<ImportBody> {
    const { status } = await owner.call('post', `/api/v1/imports/${id}/sync`, body);
    expect(status).toBe(202);
    return ended(id);
  }

  async function links(): Promise<Map<string, LinkBody>> {
    const all = new Map<string, LinkBody>();
    for (let page = 1; ; page++) {
      const { body } = await owner.list({ page, pageSize: 100 });
      const { items } = body as { items: LinkBody[] };
      for (const link of items) all.set(link.alias.slice(prefix.length), link);
      if (items.length < 100) return all;
    }
  }

  const kuttLinks = (count: number): KuttLink[] =>
    Array.from({ length: count }, (_, i) =>
      aKuttLink(`${prefix}${i}`, { visit_count: i % 3, description: `No. ${i}` }),
    );

  it('add new links from Kutt, and keep links that were changed or deleted here', async () => {
    const all = kuttLinks(60);
    const kutt = kuttService(all, KEY);
    const id = await begin('kutt_api', await started(kutt));
    expect((await ended(id)).state).toBe('done');
    const before = await links();
    const [changed, deleted] = [before.get('1')!, before.get('2')!];
    await owner.update(changed.id, { long_url: 'https://changed.test/' });
    await owner.call('delete', `/api/v1/urls/${deleted.id}`);
    all.splice(0, 1, aKuttLink(`${prefix}new`), { ...all[0]!, visit_count: 70 });
    const synced = await sync(id);
    expect(synced).toMatchObject({ state: 'done', proof: { differences: 0 } });
    expect(synced.last_sync_at).not.toBeNull();
    const after = await links();
    expect(after.size).toBe(60);
    expect(after.get('0')).toMatchObject({ imported_clicks: 70 });
    expect(after.get('1')).toMatchObject({ long_url: 'https://changed.test/', imported_clicks: 1 });
    expect(after.has('new')).toBe(true);
    expect(after.has('2')).toBe(false);
  });

  /** A Shlink server with links that have 0 to 11 visits, and one with 2,300 visits. */
  function aShlink(): ShlinkService {
    const shlink = new ShlinkService(KEY);
    for (let i = 0; i < 12; i++) {
      const visits = Array.from({ length: i }, (_, second) => aShlinkVisit(second));
      shlink.add(`${prefix}${i}`, visits);
    }
    const many = Array.from({ length: 2300 }, (_, i) => aShlinkVisit(i >> 1));
    shlink.add(`${prefix}many`, many, { domain: 'x.test' });
    return shlink;
  }

  const clicksOf = (found: Map<string, LinkBody>): Record<string, number> =>
    Object.fromEntries([...found].map(([name, link]) => [name, link.total_clicks]));

  it('import links of Shlink with their visits, and new visits later', async () => {
    const shlink = aShlink();
    const ruleOf = (priority: number, type: string, matchValue: string) => ({
      ...{ longUrl: 'https://b.test/', priority },
      conditions: [{ type, matchKey: null, matchValue }],
    });
    const rules = [ruleOf(1, 'ip-address', '192.0.2.1'), ruleOf(2, 'language', 'de')];
    shlink.rules.set(`/${prefix}ruled`, rules);
    shlink.add(`${prefix}ruled`, [aShlinkVisit(3, { potentialBot: true })], {
      ...{ hasRedirectRules: true, title: 'Ruled', tags: ['a', 'b'] },
      meta: { validSince: null, validUntil: '2020-01-01T00:00:00+01:00', maxVisits: 5 },
    });
    const id = await begin('shlink_api', await started(shlink.api));
    const made = await ended(id);
    expect(made).toMatchObject({
      state: 'done',
      counts: { created: 14 },
      notes: { feature_dropped: 1 },
      history: { clicks: 2367, counted_clicks: 0 },
      proof: { differences: 0 },
    });
    const found = await links();
    expect(clicksOf(found)).toMatchObject({ '0': 0, '1': 1, '11': 11, many: 2300, ruled: 1 });
    expect(found.get('ruled')).toMatchObject({ title: 'Ruled', status: 'INACTIVE', max_clicks: 5 });
    expect(found.get('ruled')).toMatchObject({
      rules: [{ when: [{ field: 'language', values: ['de'] }], to: 'https://b.test/' }],
    });
    const statistics = await owner.call('get', `/api/v1/stats?scope=all&group_by=country,city`);
    expect(JSON.stringify(statistics.body)).toContain('Cupertino');

    const visits = shlink.visits.get(`x.test/${prefix}many`)!;
    // Adds a visit in the same second as the last visit.
    visits.push(aShlinkVisit(1149), aShlinkVisit(1149, { referer: '' }), aShlinkVisit(5000));
    shlink.visits.get(`/${prefix}0`)!.push(aShlinkVisit(1));
    shlink.add(`${prefix}late`, [aShlinkVisit(8)]);
    const synced = await sync(id);
    expect(synced).toMatchObject({
      state: 'done',
      history: { clicks: 2372, counted_clicks: 0 },
      proof: { differences: 0 },
    });
    expect(clicksOf(await links())).toMatchObject({ '0': 1, '11': 11, many: 2303, late: 1 });
    expect((await sync(id)).history.clicks).toBe(2372);
    expect(clicksOf(await links())).toMatchObject({ '0': 1, '11': 11, many: 2303, late: 1 });
  });

  it('lose and duplicate nothing if the jobs process is killed during a read', async () => {
    const shlink = aShlink();
    let [answers, killed] = [0, 0];
    shlink.meddle = (): void => {
      const [pid] = jobsPids(service);
      if (++answers % 6 === 0 && killed === 0 && pid !== undefined) {
        killed = pid;
        process.kill(pid, 'SIGKILL');
      }
    };
    const database = await databaseOf(service);
    /** Expires the lease of the killed process, which would block the import for half a minute. */
    const expireLease = async (): Promise<void> => {
      const isKilled = () => killed !== 0 && !jobsPids(service).includes(killed);
      await eventually('the process is killed', isKilled);
      await database
        .collection('jobs')
        .updateOne(
          { _id: new Types.ObjectId(id), state: 'running' },
          { $set: { lease_until: new Date(0) } },
        );
    };
    const id = await begin('shlink_api', await started(shlink.api));
    await expireLease();
    const made = await ended(id);
    expect(made).toMatchObject({
      ...{ state: 'done', counts: { created: 13 }, proof: { differences: 0 } },
      history: { clicks: 2366 },
    });
    [answers, killed] = [5, 0];
    shlink.visits.get(`/${prefix}11`)!.push(aShlinkVisit(10), aShlinkVisit(11));
    const [synced] = await Promise.all([sync(id), expireLease()]);
    expect(synced).toMatchObject({ state: 'done', history: { clicks: 2368 } });
    await database.close();
    const found = await links();
    expect(found.size).toBe(13);
    expect(clicksOf(found)).toMatchObject({ '11': 13, many: 2300 });
  });

  const deleteClicks = (id: string) => owner.call('delete', `/api/v1/urls/${id}/clicks`);

  /** Recorded and imported clicks of the account's statistics. */
  async function counted(): Promise<number[]> {
    const { body } = await owner.call('get', '/api/v1/stats?scope=all');
    const { summary, imported } = body as {
      summary: { total_clicks: number };
      imported?: { clicks: number };
    };
    return [summary.total_clicks, imported?.clicks ?? 0];
  }

  it('leave the history of links alone whose clicks were deleted', async () => {
    const kutt = kuttLinks(3);
    const shlink = aShlink();
    const ids = [
      await begin('kutt_api', await started(kuttService(kutt, KEY)), { on_existing: 'update' }),
      await begin('shlink_api', await started(shlink.api), { on_conflict: 'rename' }),
    ];
    for (const id of ids) expect((await ended(id)).state).toBe('done');
    const byUrl = async () => {
      const { body } = await owner.list({ pageSize: 100 });
      const found = (body as { items: LinkBody[] }).items;
      return (name: string) => found.filter(({ long_url }) => long_url.endsWith(prefix + name));
    };
    const before = (await byUrl())('2');
    expect(before.map((link) => [link.total_clicks, link.imported_clicks]).sort()).toEqual([
      [0, 2],
      [2, undefined],
    ]);
    const [, imported = 0] = await counted();
    for (const { id } of before) expect((await deleteClicks(id)).status).toBe(200);
    expect(await counted()).toEqual([2364, imported - 2]);

    kutt[2] = { ...kutt[2]!, visit_count: 9, description: 'New' };
    shlink.visits.get(`/${prefix}2`)!.push(aShlinkVisit(70));
    shlink.visits.get(`/${prefix}3`)!.push(aShlinkVisit(70));
    for (const id of ids) {
      expect(await sync(id)).toMatchObject({
        ...{ state: 'done', notes: { history_partial: 1 }, proof: { differences: 0 } },
      });
      const rows = await owner.call('get', `/api/v1/imports/${id}/rows?verdict=history_partial`);
      const { items } = rows.body as { items: { url_id: string; notes: string[] }[] };
      expect(before.map((link) => link.id)).toContain(items[0]?.url_id);
    }
    expect((await byUrl())('2')).toMatchObject([{ total_clicks: 0 }, { total_clicks: 0 }]);
    expect(await counted()).toEqual([2365, imported - 2]);
    for (const { alias } of before) expect((await visit(service, alias)).status).toBe(302);
    await eventually('new clicks are counted', async () => {
      return (await byUrl())('2').every((link) => link.total_clicks === 1);
    });
    expect(await counted()).toEqual([2367, imported - 2]);
    // The link is missing at the service, so that its row is too.
    shlink.links.splice(2, 1);
    const last = await sync(ids[1] ?? '');
    expect(last).toMatchObject({ state: 'done', notes: {}, proof: { differences: 0 } });
  });

  it('skip links whose clicks were deleted before an interrupted run resumed', async () => {
    const shlink = aShlink();
    let answers = 0;
    const many = `/${prefix}many/visits`;
    shlink.meddle = (path) =>
      path.endsWith(many) && ++answers > 1 ? new Answer(503, 'later') : undefined;
    const id = await begin('shlink_api', await started(shlink.api));
    await inState(id, 'waiting');
    const found = await links();
    const names = ['many', '4'] as const;
    const refused = await deleteClicks(found.get('4')?.id ?? '');
    expect([refused.status, refused.body]).toMatchObject([409, { code: 'conflict' }]);
    const bulk = { ids: [found.get('4')?.id] };
    const { body } = await owner.call('post', '/api/v1/urls/bulk/delete-clicks', bulk);
    expect(body).toMatchObject({ results: [{ error_code: 'conflict' }] });
    expect((await owner.call('post', `/api/v1/imports/${id}/cancel`)).status).toBe(200);
    await inState(id, 'cancelled');
    for (const name of names)
      expect((await deleteClicks(found.get(name)?.id ?? '')).status).toBe(200);
    shlink.meddle = () => undefined;
    expect((await owner.call('post', `/api/v1/imports/${id}/run`, {})).status).toBe(202);
    expect(await ended(id)).toMatchObject({
      ...{ state: 'done', counts: { created: 13 }, notes: { history_partial: 2 } },
      ...{ history: { clicks: 62, counted_clicks: 0 }, proof: { differences: 0 } },
    });
    const clicks = clicksOf(await links());
    expect(clicks).toMatchObject({ many: 0, '4': 0, '3': 3, '11': 11 });
  });

  it('wait as long as a service requests, and repeat broken responses', async () => {
    const kutt = kuttService(kuttLinks(3), KEY);
    const told = [new Answer(429, {}, { 'Retry-After': '2' }), new Answer(502, 'oops')];
    const slow = new JsonService((question) => told.shift() ?? kutt.answered(question));
    const id = await begin('kutt_api', await started(slow));
    const waiting = await inState(id, 'waiting');
    expect(waiting.error).toMatchObject({ error: expect.stringContaining('127.0.0.1') as string });
    expect(await ended(id)).toMatchObject({ state: 'done', counts: { created: 3 }, error: null });
  });

  it.each<[string, Answer, string]>([
    ['a refusal of the key', new Answer(401, {}), 'authentication_error'],
    ['a ban', new Answer(403, {}), 'authentication_error'],
    ['a redirect', new Answer(302, '', { Location: 'http://127.0.0.1/' }), 'validation_error'],
    ['a page of HTML', new Answer(200, '<html>secret</html>'), 'validation_error'],
    ['another shape', new Answer(200, { total: 1, data: 'secret' }), 'validation_error'],
    [
      'too many links',
      new Answer(200, { total: 99, data: Array(99).fill({}) }),
      'validation_error',
    ],
    ['nested JSON', new Answer(200, '['.repeat(100_000)), 'validation_error'],
    ['17 MiB', new Answer(200, JSON.stringify('x'.repeat(17 << 20))), 'validation_error'],
    ['nothing there', new Answer(404, {}), 'validation_error'],
  ])('fail with %s', async (_name, answer, code) => {
    const base = await started(new JsonService(() => answer));
    const made = await ended(await begin('kutt_api', base));
    expect(made).toMatchObject({ state: 'failed', error: { code } });
    expect(made.error?.error).not.toMatch(/secret|Location/);
  });

  it.each<[string, object, number, string]>([
    ['a missing address', { base_url: undefined }, 422, 'base_url'],
    ['an address of another scheme', { base_url: 'ftp://a.test/' }, 422, 'base_url'],
    ['a long address', { base_url: `https://a.test/${'x'.repeat(2048)}` }, 422, 'base_url'],
    ['a missing credential', { credential: undefined }, 422, 'credential'],
    ['a credential of two lines', { credential: 'a\r\nX-Evil: b' }, 422, 'credential'],
    ['a source that is a file', { source: 'csv' }, 422, 'file'],
    ['an unknown source', { source: 'tinyurl' }, 422, 'source'],
    ['an unknown option', { options: { colour: 1 } }, 422, 'options.colour'],
    ['options that are a text', { options: '{}' }, 422, 'options'],
    ['an unknown field', { colour: 1 }, 422, 'colour'],
    ['http to the world', { base_url: 'http://93.184.215.14/' }, 400, 'base_url'],
  ])('are refused with %s', async (_name, fields, status, field) => {
    const whole = { source: 'kutt_api', base_url: 'https://93.184.215.14/', credential: KEY };
    const answer = await owner.call('post', '/api/v1/imports', { ...whole, ...fields });
    expect([answer.status, (answer.body as { field: string }).field]).toEqual([status, field]);
    expect(JSON.stringify(answer.body)).not.toContain(KEY);
  });

  it('can be synced only after a run, and never from a file', async () => {
    const id = await begin('kutt_api', await started(kuttService(kuttLinks(1), KEY)), {
      dry_run: true,
    });
    expect((await ended(id)).state).toBe('done');
    expect((await owner.call('post', `/api/v1/imports/${id}/sync`, {})).status).toBe(409);
    const unknown = await owner.call('post', `/api/v1/imports/${'f'.repeat(24)}/sync`, {});
    expect(unknown.status).toBe(404);
  });

  /** Addresses in private networks; only 127.0.0.1 is allowed. */
  const HIDDEN = [
    ...['127.0.0.2', '127.1.1', '0x7f000002', '2130706434', '0177.0.0.2', '0x7f.0.0.2', '127.2.'],
    ...['0', '0.0.0.0', '10.0.0.1', '10.1', '0xa000001', '167772161', '012.0.0.1', '100.64.0.1'],
    ...['169.254.169.254', '0xa9fea9fe', '2852039166', '0251.0376.0251.0376', '172.16.0.1'],
    ...['172.31.255.255', '192.168.0.1', '192.168.257', '192.0.0.1', '192.0.2.1', '192.88.99.1'],
    ...['198.18.0.1', '198.51.100.1', '203.0.113.1', '224.0.0.1', '255.255.255.255'],
    ...['[::1]', '[::]', '[::ffff:10.0.0.1]', '[::ffff:7f00:2]', '[64:ff9b::a00:1]', '[fe80::1]'],
    ...['[fc00::1]', '[fd12:3456::1]', '[ff02::1]', '[2001:db8::1]', '[2002:7f00:1::]'],
    ...['[::127.0.0.2]', '[2001::1]', '１２７.０.０.２', '127。0。0。2', 'user:pw@127.0.0.1'],
    ...['user@93.184.215.14', 'localhost.invalid', '127.0.0.1:x@10.0.0.1'],
  ];

  it('never contact a private address in any notation', async () => {
    expect(HIDDEN.length).toBeGreaterThanOrEqual(40);
    const listener = new JsonService(() => ({ total: 0, data: [] }));
    const port = new URL(await started(listener)).port;
    for (const place of HIDDEN) {
      for (const base_url of [`https://${place}/`, `http://${place}:${port}/`]) {
        const body = { source: 'shlink_api', base_url, credential: KEY };
        const answer = await owner.call('post', '/api/v1/imports', body);
        const { field } = answer.body as { field?: string };
        const isUnreadable = answer.status === 422 && place.includes('@');
        expect([base_url, isUnreadable ? 400 : answer.status, field]).toEqual([
          ...[base_url, 400, 'base_url'],
        ]);
      }
    }
    expect(listener.asked).toEqual([]);
  });
});
