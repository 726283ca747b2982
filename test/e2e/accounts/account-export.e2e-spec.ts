import { createHash } from 'node:crypto';
import JSZip from 'jszip';
import { type Click, SIGNALS } from '../../../src/engines/click-engine/chunk/click';
import { ApiClient } from '../../support/api-client';
import { aKey, anAccount } from '../../support/factories/accounts';
import { jobsIn } from '../../support/factories/stored-job';
import { SeededRandom } from '../../support/fuzz/seeded-random';
import { bearer, post, visit } from '../../support/http';
import { endedImport, sendImport } from '../../support/importing';
import { limitsFile } from '../../support/limits';
import { mailsTo } from '../../support/outbox';
import { eventually, type Service, startService } from '../../support/service';
import { aClick, NOTHING_KNOWN } from '../../support/shared/click.factory';
import { StatisticsWorld } from '../../support/statistics/statistics-world';

const DAY = 86_400_000;
const QUESTIONS = 50;
const ROUTE = '/api/v1/account/exports';
const PASSWORD = 'tulips@2030';

interface ExportBody {
  readonly id: string;
  readonly state: string;
  readonly file: { readonly bytes: number; readonly sha256: string } | null;
  readonly expires_at: number | null;
  readonly finished_at: number | null;
}
type Files = ReadonlyMap<string, string>;
type Line = Record<string, unknown>;

describe('the export of an account', () => {
  let world: StatisticsWorld;
  let fresh: Service;
  let before: ApiClient;
  let after: ApiClient;
  const random = new SeededRandom(22);

  beforeAll(async () => {
    const rows = ['account.export', 'imports.create', 'imports.read', 'stats.account'];
    const env = { LIMITS_FILE: limitsFile(Object.fromEntries(rows.map((row) => [row, 'off']))) };
    world = await StatisticsWorld.open(env);
    fresh = await startService({ env });
    before = await ApiClient.on(world.service);
    after = await ApiClient.on(fresh);
  });
  afterAll(async () => {
    await world.close();
    await fresh.stop();
  });

  function someClicks(count: number): Click[] {
    const now = Date.now();
    return Array.from({ length: count }, () => {
      const bot = random.of([null, null, null, 'Googlebot']);
      const bits = [0, SIGNALS.qrCode, bot === null ? SIGNALS.prefetch : SIGNALS.previewer];
      return aClick({
        ...(random.below(5) === 0 && NOTHING_KNOWN),
        // Whole seconds, so that several visitors' clicks have the same time.
        at: Math.floor((now - 60_000 - random.below(200) * DAY) / 1000) * 1000,
        visitor: (1 + random.below(40)).toString(16).padStart(24, 'a'),
        browser: random.of(['Chrome', 'Firefox', 'Mobile Safari', null]),
        os: random.of(['Windows', 'iOS', null]),
        device: random.of(['desktop', 'mobile', 'unknown'] as const),
        referrer: random.of([null, 'https://t.co', 'https://news.example.com']),
        utmSource: random.of([null, 'mail', 'Größe']),
        utmCampaign: random.of([null, 'spring']),
        botName: bot,
        redirectMs: random.below(300),
        signals: random.of(bits),
        variant: random.of([null, null, '2', 'r1']),
      });
    });
  }

  async function exported(client: ApiClient, service: Service): Promise<Files> {
    const made = await client.call('post', ROUTE);
    expect(made.status).toBe(202);
    const path = `${ROUTE}/${(made.body as ExportBody).id}`;
    expect(made.headers.location).toBe(path);
    let now = made.body as ExportBody;
    await eventually('the export is done', async () => {
      now = (await client.call('get', path)).body as ExportBody;
      expect(now.state).not.toBe('failed');
      return now.state === 'done';
    });
    expect(now.expires_at).toBe((now.finished_at ?? 0) + 72 * 3600);
    const answer = await fetch(`${service.url}${path}/file`, {
      headers: bearer(client.account.accessToken),
    });
    const name = /^attachment; filename="curtail-account-\d{4}-\d\d-\d\d\.zip"$/;
    expect(answer.headers.get('content-disposition')).toMatch(name);
    expect(answer.headers.get('content-type')).toBe('application/zip');
    const bytes = Buffer.from(await answer.arrayBuffer());
    expect(now.file).toEqual({ bytes: bytes.length, sha256: sha256(bytes) });
    latest = bytes;
    const zip = await JSZip.loadAsync(bytes);
    const files = new Map<string, string>();
    for (const file of Object.values(zip.files)) files.set(file.name, await file.async('string'));
    return files;
  }
  let latest: Buffer;

  function aQuestion(aliases: readonly string[]): Record<string, string> {
    const [from, to] = [random.below(150), 1 + random.below(40)];
    const day = (ago: number): string =>
      new Date(Date.now() - ago * DAY).toISOString().slice(0, 10);
    const grouped = ['time', 'browser', 'os', 'device', 'country', 'city', 'referrer'];
    const more = ['utm_source', 'utm_campaign', 'short_code', 'audience', 'trigger', 'variant'];
    const groups = [...grouped, ...more].filter(() => random.below(3) === 0);
    return {
      scope: 'all',
      start_date: day(41 + from),
      end_date: day(to),
      group_by: groups.join(',') || 'time',
      audience: random.of(['all', 'human', 'bot']),
      timezone: random.of(['UTC', 'Europe/Berlin', 'Asia/Tokyo']),
      ...(random.below(3) === 0 && { browser: 'Firefox' }),
      ...(random.below(4) === 0 && { country: 'Germany' }),
      ...(random.below(4) === 0 && { short_code: random.of(aliases) }),
    };
  }

  it('is imported into an empty account, and then exported with the same content', async () => {
    const far = Math.floor(Date.now() / 1000) + 1_000_000;
    const made = [
      await before.aLink({
        ...{ alias: 'ex-one', title: 'One', note: 'A\nnote', tags: ['Spring', 'a|b'] },
        ...{ max_clicks: 9000, expire_after: far, block_bots: true, private_stats: false },
        ...{ forward_query: true, count_bots: false, expired_redirect_url: 'https://e.test/' },
        geo_rules: { DE: 'https://e.test/de' },
        ab_variants: [{ url: 'https://e.test/a', weight: 10 }],
        rules: [{ when: [{ field: 'query', name: 'x' }], to: 'https://e.test/x' }],
      }),
      await before.aLink({ alias: 'ex-two', starts_at: far, pre_start_url: 'https://e.test/' }),
      await before.aLink({ alias: 'ex-lock', password: PASSWORD }),
      await before.aLink({ alias: 'ex-quiet' }),
    ];
    // The first variant is replaced, so that the remaining one has the key 2.
    const variants = { ab_variants: [{ url: 'https://e.test/b', weight: 30 }] };
    await before.update(made[0]?.id ?? '', variants).expect(200);
    const style = { size: 512, dark: '112233', level: 'H' };
    await before.call('put', `/api/v1/urls/${made[0]?.id}/qr`, style).expect(200);
    for (const { id } of made.slice(0, 3)) await world.record(id, someClicks(700));
    const csv = 'alias,url,clicks\nex-counted,https://a.test/,12\nex-more,https://a.test/,5';
    const options = { dry_run: false };
    const counted = await sendImport(world.service, before, csv, 'csv', options);
    expect(await endedImport(before, counted)).toMatchObject({ state: 'done' });

    const files = await exported(before, world.service);
    const archive = latest;
    const manifest = JSON.parse(files.get('manifest.json') ?? '') as Line & { files: Line[] };
    expect(manifest).toMatchObject({
      format: 1,
      counts: { links: 6, clicks: 2100, imported_clicks: 17 },
    });
    const others = [...files].filter(([name]) => name !== 'manifest.json');
    expect(manifest.files.map(({ name }) => name)).toEqual(others.map(([name]) => name));
    for (const [name, text] of others) {
      const isLines = name.endsWith('.ndjson');
      expect(manifest.files.find((file) => file.name === name)).toEqual({
        ...{ name, bytes: Buffer.byteLength(text), sha256: sha256(text) },
        records: isLines ? text.split('\n').length - 1 : null,
      });
    }
    const account = JSON.parse(files.get('account.json') ?? '') as Line;
    expect(account).toMatchObject({
      user: { email: before.account.email },
      tags: [{ name: 'a|b' }, { name: 'Spring', links: 1 }],
      imports: [{ id: counted }],
      ...{ keys: [], domains: [], reports: [], webhooks: [], qr_logo: null },
    });

    const id = await sendImport(fresh, after, archive, 'curtail', options);
    expect(await endedImport(after, id)).toMatchObject({
      state: 'done',
      counts: { created: 5, protected_inactive: 1 },
      history: { clicks: 2100, counted_clicks: 17, dropped_clicks: 0 },
      proof: { clicks_ok: true, differences: 0 },
    });
    expect((await visit(fresh, 'ex-lock')).status).toBe(410);
    const again = await exported(after, fresh);
    expect(comparableFiles(again)).toEqual(comparableFiles(files));
    expect(lines(files.get('counts.ndjson')).map(({ source }) => source)).toEqual(['csv', 'csv']);

    const aliases = made.map(({ alias }) => alias);
    for (let i = 0; i < QUESTIONS; i++) {
      const question = aQuestion(aliases);
      const [asked, answered] = await Promise.all(
        [before, after].map((client) => client.call('get', '/api/v1/stats').query(question)),
      );
      expect([question, asked?.status]).toEqual([question, 200]);
      expect(comparable(answered?.body)).toEqual(comparable(asked?.body));
    }
  });

  it('contains no hash, key or password, and stays the same if nothing has changed', async () => {
    const owner = await ApiClient.on(world.service);
    const key = await aKey(world.service, owner.account, ['urls:read']);
    const { id } = await owner.aLink({ password: PASSWORD });
    const [click] = someClicks(1);
    await world.record(id, click === undefined ? [] : [click]);
    const links = world.connection.collection('links');
    const records = await Promise.all([
      world.connection.collection('accounts').findOne({ email: owner.account.email }),
      links.findOne({ alias: (await owner.show(id)).body.alias as string }),
      world.connection.collection('api_keys').findOne({ owner: { $exists: true } }),
    ]);
    const hashes = records.flatMap((record) => [record?.password_hash, record?.digest]);
    const planted = [key.slice(12), PASSWORD, owner.account.password, click?.visitor, ...hashes];
    const texts = planted.filter((text) => typeof text === 'string');
    expect(texts.length).toBeGreaterThanOrEqual(6);
    const files = await exported(owner, world.service);
    for (const text of texts)
      for (const content of files.values()) expect(content).not.toContain(text);
    expect(JSON.parse(files.get('account.json') ?? '')).toMatchObject({
      keys: [{ token_prefix: key.slice(4, 12) }],
    });
    expect(lines(files.get('links.ndjson'))).toMatchObject([{ password_set: true }]);
    expect(lines(files.get('clicks/00001.ndjson'))).toMatchObject([{ visitor: 0 }]);
    const again = await exported(owner, world.service);
    expect([...again.keys()]).toEqual([...files.keys()]);
    for (const [name, text] of again) {
      if (name.endsWith('.ndjson')) expect(text).toBe(files.get(name));
    }
    expect((await owner.call('delete', `/api/v1/urls/${id}/clicks`)).status).toBe(200);
    const cleared = await exported(owner, world.service);
    expect(cleared.has('clicks/00001.ndjson')).toBe(false);
    const none = { total_clicks: 0, last_click: null };
    expect(lines(cleared.get('links.ndjson'))).toMatchObject([none]);
  });

  it('can exist only once at a time, is visible only to its owner, and is removed on request', async () => {
    const owner = await ApiClient.on(world.service);
    const { account } = owner;
    const answers = await Promise.all([owner.call('post', ROUTE), owner.call('post', ROUTE)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([202, 409]);
    const { id } = answers.find(({ status }) => status === 202)?.body as ExportBody;
    await eventually('the owner is told', () =>
      mailsTo(world.service, account.email).some((mail) => mail.includes('A copy of your data')),
    );
    const isDone = async () => (await owner.call('get', `${ROUTE}/${id}`)).body.state === 'done';
    await eventually('the export is done', isDone);

    // No machine with this name runs the job.
    const unclaimed = { kind: 'account_export', input: {}, node: 'elsewhere' } as const;
    const jobs = jobsIn(world.connection);
    const waiting = await jobs.insert({ ...unclaimed, ownerId: account.userId, isSole: true });
    const { body } = await owner.call('get', ROUTE);
    expect(body.exports).toMatchObject([
      { id: waiting.id, state: 'queued', file: null, expires_at: null },
      { id, state: 'done', file: { bytes: expect.any(Number) } },
    ]);
    const other = await ApiClient.on(world.service);
    const unknown = 'f'.repeat(24);
    for (const [client, method, path, status] of [
      [owner, 'post', '', 409],
      [owner, 'get', `/${waiting.id}/file`, 409],
      [owner, 'get', '/x', 400],
      [owner, 'get', `/${unknown}`, 404],
      [other, 'get', `/${id}`, 404],
      [other, 'get', `/${id}/file`, 404],
      [other, 'delete', `/${id}`, 404],
      [owner, 'delete', `/${waiting.id}`, 200],
      [owner, 'delete', `/${id}`, 200],
      [owner, 'get', `/${id}/file`, 404],
    ] as const) {
      const answer = await client.call(method, `${ROUTE}${path}`);
      expect([method, path, answer.status]).toEqual([method, path, status]);
    }
    expect((await owner.call('get', ROUTE)).body).toEqual({ exports: [] });
    const chunks = world.connection.collection('account_exports.chunks');
    const { ObjectId } = world.connection.base.mongo;
    expect(await chunks.countDocuments({ files_id: new ObjectId(id) })).toBe(0);
    const key = await owner.withKey('admin:all');
    expect((await key.call('post', ROUTE)).body).toMatchObject({ code: 'forbidden' });
    const unverified = bearer((await anAccount(world.service)).accessToken);
    const refused = await post(world.service, ROUTE, {}).set(unverified);
    expect([refused.status, refused.body.code]).toEqual([403, 'email_not_verified']);
  });
});

function sha256(content: Buffer | string): string {
  return createHash('sha256').update(content).digest('hex');
}

function lines(text = ''): Line[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Line);
}

/** Replaces ids by aliases, and omits the link with a password. */
function comparableFiles(files: Files): Record<string, Line[]> {
  const links = lines(files.get('links.ndjson'));
  const aliases = new Map(links.map(({ id, alias }) => [id, alias]));
  const withoutIds = (name: string) =>
    lines(files.get(name))
      .map(({ id, url_id, short_url, domain, ...rest }) => {
        expect([short_url, domain]).toBeDefined();
        return { ...rest, link: aliases.get(url_id ?? id) };
      })
      .filter(({ link }) => link !== 'ex-lock');
  const names = [...files.keys()].filter((name) => name.endsWith('.ndjson'));
  return Object.fromEntries(names.map((name) => [name, withoutIds(name)]));
}

function comparable(body: unknown): unknown {
  return { ...(body as object), generated_at: null };
}
