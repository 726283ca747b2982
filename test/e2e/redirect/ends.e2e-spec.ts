import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import request from 'supertest';
import type { Connection } from 'mongoose';
import { ApiClient } from '../../support/api-client';
import { databaseOf, totalClicks } from '../../support/database';
import { anAddress, shorten, visit } from '../../support/http';
import { scrape } from '../../support/scrape';
import { eventually, startService, type Service } from '../../support/service';
import { expiringSoon } from '../../support/soon';

const SOON = 'https://soon.example/wait';
const OVER = 'https://over.example/thanks?from=link';
const TARGET = 'https://example.com/target';
const PASSWORD = 'tulips@2030';
const BOT = 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)';
const FIELDS = ['starts_at', 'pre_start_url', 'expired_redirect_url', 'forward_query'] as const;

const inAnHour = (hours = 1): number => Math.floor(Date.now() / 1000) + 3600 * hours;

function settings(): Record<string, string> {
  const folder = mkdtempSync(join(tmpdir(), 'curtail-ends-'));
  const [limits, blocked] = [join(folder, 'limits.json'), join(folder, 'blocked.txt')];
  const rows = ['links.create', 'links.update'].map((row) => [row, 'off']);
  writeFileSync(limits, JSON.stringify(Object.fromEntries(rows)));
  writeFileSync(blocked, 'evil\\.example');
  return { LIMITS_FILE: limits, BLOCKED_URLS_FILE: blocked, METRICS: 'true' };
}

describe.each(['true', 'false'])('the start and end of a link, FAST_PATH=%s', (FAST_PATH) => {
  let service: Service;
  let other: Service;
  let database: Connection;
  let owner: ApiClient;

  beforeAll(async () => {
    const env = { ...settings(), FAST_PATH };
    service = await startService({ env });
    other = await startService({ database: service.database, env });
    database = await databaseOf(service);
    owner = await ApiClient.on(service);
  });
  afterAll(async () => {
    await database.close();
    await Promise.all([service.stop(), other.stop()]);
  });

  const at = async (code: string, headers: Record<string, string> = {}): Promise<string> => {
    const { status, headers: answered } = await visit(service, code, headers);
    expect(answered['cache-control']).toBe('no-store');
    expect(answered['x-robots-tag']).toBe('noindex, nofollow');
    return [status, ...(answered.location === undefined ? [] : [answered.location])].join(' ');
  };
  const head = async (code: string): Promise<string> => {
    const { status, headers } = await request(service.url).head(`/${code}`).redirects(0);
    return [status, ...(headers.location === undefined ? [] : [headers.location])].join(' ');
  };
  const form = async (code: string, password = PASSWORD): Promise<string> => {
    const sent = request(service.url).post(`/${code}/password`).redirects(0).type('form');
    const { status, headers } = await sent
      .set({ 'X-Forwarded-For': anAddress(), Accept: 'application/json' })
      .send({ password });
    return [status, ...(headers.location === undefined ? [] : [headers.location])].join(' ');
  };
  const outcome = async (name: string): Promise<number> =>
    (await scrape(service)).get(`curtail_redirects_total{outcome="${name}"}`) ?? 0;
  const guarded = { password: PASSWORD, block_bots: true, max_clicks: 1 };
  const usedUp = async (input: object): Promise<{ id: string; alias: string }> => {
    const link = await owner.aLink({ ...guarded, ...input });
    expect(await at(link.alias, { 'X-Link-Password': PASSWORD })).toBe(`302 ${TARGET}`);
    return link;
  };

  it('redirect elsewhere before the start, even if the link has other requirements', async () => {
    const link = await owner.aLink({ ...guarded, starts_at: inAnHour(), pre_start_url: SOON });
    const before = await outcome('pre_start');
    expect(await at(link.alias)).toBe(`302 ${SOON}`);
    expect(await at(`${link.alias}?a=1`, { 'User-Agent': BOT })).toBe(`302 ${SOON}`);
    expect(await head(link.alias)).toBe(`302 ${SOON}`);
    expect(await form(link.alias, 'wrong')).toBe(`303 ${SOON}`);
    expect(await outcome('pre_start')).toBe(before + 4);
    const shown = await visit(service, `${link.alias}+`, { Accept: 'text/html' });
    expect(shown.text).toContain(SOON);
    expect(shown.text).not.toContain(TARGET);
    const preview = await visit(service, `api/v1/public/preview/${link.alias}`);
    expect(preview.body).toMatchObject({ status: 'inactive', destination: null });
    expect((await owner.show(link.id)).body).toMatchObject({ status: 'INACTIVE', total_clicks: 0 });
    expect((await owner.update(link.id, { starts_at: null })).body).toMatchObject({
      status: 'ACTIVE',
      starts_at: null,
      pre_start_url: SOON,
    });
    expect(await at(link.alias)).toBe('401');
    expect(await form(link.alias)).toBe(`303 ${TARGET}`);
  });

  it('return 404 before the start if no other address is set', async () => {
    const link = await owner.aLink({ ...guarded, starts_at: inAnHour() });
    const unknown = await visit(service, 'no-such-code');
    const answer = await visit(service, link.alias);
    expect([answer.status, answer.body]).toEqual([404, unknown.body]);
    expect([await head(link.alias), await form(link.alias)]).toEqual(['404', '404']);
    expect((await visit(service, `${link.alias}+`)).status).toBe(404);
    expect((await visit(service, `api/v1/public/preview/${link.alias}`)).status).toBe(404);
    expect((await visit(service, `${link.alias}/qr.svg`)).status).toBe(200);
  });

  it('redirect elsewhere when the clicks are used up, and return 410 if no address is set', async () => {
    const [fallback, none] = [await usedUp({ expired_redirect_url: OVER }), await usedUp({})];
    const before = await outcome('expired');
    expect(await at(`${fallback.alias}?a=1`, { 'User-Agent': BOT })).toBe(`302 ${OVER}`);
    expect(await head(fallback.alias)).toBe(`302 ${OVER}`);
    expect(await form(fallback.alias, 'wrong')).toBe(`303 ${OVER}`);
    expect(await outcome('expired')).toBe(before + 3);
    expect((await visit(service, `${fallback.alias}+`, { Accept: 'text/html' })).text).toContain(
      'over.example',
    );
    expect([await at(none.alias), await head(none.alias), await form(none.alias)]).toEqual([
      ...['410', '410', '410'],
    ]);
    expect((await visit(service, `${none.alias}+`)).status).toBe(410);
    // A paused link does not redirect. When it is active again, its slots are still used up.
    await owner.setStatus(fallback.id, 'INACTIVE');
    expect([await at(fallback.alias), await form(fallback.alias)]).toEqual(['410', '410']);
    await owner.setStatus(fallback.id, 'ACTIVE');
    expect(await form(fallback.alias)).toBe(`303 ${OVER}`);
    expect(await at(fallback.alias)).toBe(`302 ${OVER}`);
    // The recorder closes a link that is still cached as open. A change message updates the
    // cache.
    await eventually('it is open', async () => {
      await owner.setStatus(fallback.id, 'ACTIVE');
      return (await at(fallback.alias)) === '401';
    });
    await database
      .collection('links')
      .updateOne(
        { alias: fallback.alias },
        { $set: { status: 'INACTIVE', closed_by_limit: true } },
      );
    expect([await form(fallback.alias), await at(fallback.alias)]).toEqual([
      ...[`303 ${OVER}`, `302 ${OVER}`],
    ]);
    await owner.update(fallback.id, { starts_at: inAnHour(), pre_start_url: SOON });
    expect(await at(fallback.alias)).toBe(`302 ${OVER}`);
    await eventually(
      'one click is stored',
      async () => (await totalClicks(database, fallback.id)) === 1,
    );
  });

  it('take effect at the set time, on every machine, without a write to the database', async () => {
    const begins = await expiringSoon((soon) =>
      owner.call('post', '/api/v1/shorten', {
        long_url: TARGET,
        starts_at: soon,
        pre_start_url: SOON,
      }),
    );
    const ends = await expiringSoon((soon) =>
      owner.call('post', '/api/v1/shorten', {
        long_url: TARGET,
        expire_after: soon,
        expired_redirect_url: OVER,
        ...guarded,
      }),
    );
    const locations = (alias: string): Promise<(string | undefined)[]> =>
      Promise.all(
        [service, other].map(async (one) => (await visit(one, alias)).headers.location as string),
      );
    const { alias, starts_at } = begins.body as { alias: string; starts_at: number };
    await eventually('it has begun', async () => {
      const asked = Date.now();
      const found = await locations(alias);
      if (asked >= starts_at * 1000) expect(found).toEqual([TARGET, TARGET]);
      return found.every((location) => location === TARGET);
    });
    await eventually('it has ended', async () =>
      (await locations(ends.body.alias as string)).every((location) => location === OVER),
    );
    // A past start is valid if it is unchanged.
    const kept = await owner.update(begins.body.id as string, { starts_at, title: 'Begun' });
    expect([kept.status, kept.body.starts_at, kept.body.status]).toEqual([
      200,
      starts_at,
      'ACTIVE',
    ]);
  });

  it('allow ten of 500 concurrent visitors, and redirect all others to the other address', async () => {
    const link = await owner.aLink({ max_clicks: 10, expired_redirect_url: OVER });
    const found = await Promise.all(
      Array.from({ length: 500 }, (_, i) => visit(i % 2 === 0 ? service : other, link.alias)),
    );
    const places = found.map(({ status, headers }) => `${status} ${headers.location as string}`);
    expect(places.filter((place) => place === `302 ${TARGET}`)).toHaveLength(10);
    expect(places.filter((place) => place === `302 ${OVER}`)).toHaveLength(490);
    await eventually('ten clicks', async () => (await totalClicks(database, link.id)) === 10);
  });

  it('forward the query of visits only to the main destination', async () => {
    const long_url = 'https://example.com/ä?mine=1#part';
    const link = await owner.aLink({ long_url, forward_query: true });
    const plain = await owner.aLink({ long_url });
    const query = 'mine=2&utm_source=news&a=%20b&password=x&qr=1';
    const forwarded = 'https://example.com/%C3%A4?mine=1&utm_source=news&a=%20b#part';
    expect(await at(`${link.alias}?${query}`)).toBe(`302 ${forwarded}`);
    expect(await head(`${link.alias}?${query}`)).toBe(`302 ${forwarded}`);
    expect(await at(link.alias)).toBe('302 https://example.com/%C3%A4?mine=1#part');
    expect(await at(`${plain.alias}?${query}`)).toBe('302 https://example.com/%C3%A4?mine=1#part');
    const locked = await owner.aLink({ forward_query: true, password: PASSWORD, max_clicks: 5 });
    const page = await visit(service, `${locked.alias}?a=1&password=no&b=%22`, {
      Accept: 'text/html',
    });
    expect(page.text).toContain(`action="/${locked.alias}/password?a=1&amp;b=%22"`);
    const sent = request(service.url).post(`/${locked.alias}/password?a=1&b=%22`).redirects(0);
    const opened = await sent.type('form').send({ password: PASSWORD });
    expect([opened.status, opened.headers.location]).toEqual([303, `${TARGET}?a=1&b=%22`]);
    expect(await at(`${locked.alias}?c=3`, { 'X-Link-Password': PASSWORD })).toBe(
      `302 ${TARGET}?c=3`,
    );
  });

  if (FAST_PATH === 'false') return;

  describe('the fields for start and end', () => {
    const all = () => ({
      starts_at: inAnHour(),
      pre_start_url: SOON,
      expired_redirect_url: OVER,
      forward_query: true,
    });

    it('are in every response, in lists and files, and null or false if unset', async () => {
      const given = all();
      const made = await owner.aLink({ ...given, expire_after: inAnHour(2) });
      expect(made).toMatchObject({ ...given, status: 'ACTIVE' });
      expect((await owner.show(made.id)).body).toMatchObject({ ...given, status: 'INACTIVE' });
      const changed = await owner.update(made.id, { pre_start_url: TARGET, forward_query: null });
      expect(changed.body).toMatchObject({ ...given, pre_start_url: TARGET, status: 'INACTIVE' });
      const unset = { starts_at: null, pre_start_url: null, expired_redirect_url: null };
      const cleared = await owner.update(made.id, { ...unset, forward_query: false });
      expect(cleared.body).toMatchObject({ ...unset, forward_query: false, status: 'ACTIVE' });
      const again = await owner.update(made.id, { ...unset, forward_query: false });
      expect(again.body.updated_at).toBe(cleared.body.updated_at);
      expect(await owner.aLink()).toMatchObject({ ...unset, forward_query: false });
      const file = await owner.call('get', '/api/v1/urls/export?format=csv');
      expect(file.text.split('\r\n')[0]).toContain(`,tags,count_bots,${FIELDS.join(',')}`);
    });

    it('are used to find scheduled links, which count as inactive', async () => {
      const client = await ApiClient.on(service);
      const scheduled = await client.aLink({ starts_at: inAnHour() });
      const paused = await client.aLink({ starts_at: inAnHour() });
      await client.setStatus(paused.id, 'INACTIVE');
      const open = await client.aLink();
      const found = async (status: string): Promise<string[]> => {
        const { body } = await client.list({ filter: JSON.stringify({ status }) });
        return (body.items as { id: string }[]).map(({ id }) => id).sort();
      };
      expect(await found('SCHEDULED')).toEqual([scheduled.id, paused.id].sort());
      expect(await found('INACTIVE')).toEqual([scheduled.id, paused.id].sort());
      expect(await found('ACTIVE')).toEqual([open.id]);
      expect(await found('EXPIRED')).toEqual([]);
    });

    it.each<[string, () => object, number, string]>([
      ['a start that is not a time', () => ({ starts_at: 'soon' }), 400, 'starts_at'],
      ['a start that has passed', () => ({ starts_at: 1_700_000_000 }), 400, 'starts_at'],
      ['a start of another type', () => ({ starts_at: true }), 422, 'starts_at'],
      [
        'a start at the end',
        () => {
          const at = inAnHour();
          return { starts_at: at, expire_after: at };
        },
        400,
        'starts_at',
      ],
      ...(['pre_start_url', 'expired_redirect_url'] as const).flatMap(
        (field): [string, () => object, number, string][] => [
          [`an empty ${field}`, () => ({ [field]: '' }), 422, field],
          [`a ${field} of another type`, () => ({ [field]: 5 }), 422, field],
          [
            `a ${field} that is too long`,
            () => ({ [field]: `https://a.example/${'x'.repeat(2048)}` }),
            422,
            field,
          ],
          [`a ${field} that runs a script`, () => ({ [field]: 'javascript:alert(1)' }), 400, field],
          [
            `a ${field} with a line end`,
            () => ({ [field]: 'https://a.example/\r\nx' }),
            400,
            field,
          ],
          [`a ${field} that is blocked`, () => ({ [field]: 'https://evil.example/' }), 400, field],
          [`a ${field} that leads here`, () => ({ [field]: `${service.url}/x` }), 400, field],
        ],
      ),
      ['forward_query as a text', () => ({ forward_query: 'true' }), 422, 'forward_query'],
      ['a slip', () => ({ start_at: inAnHour() }), 422, 'start_at'],
    ])('are rejected: %s', async (_, input, status, field) => {
      const link = await owner.aLink();
      const answers = [
        await owner.call('post', '/api/v1/shorten', { long_url: TARGET, ...input() }),
        await owner.update(link.id, input()),
      ];
      for (const { status: answered, body } of answers) {
        expect([answered, (body.field ?? body.details?.[0]?.field) as string]).toEqual([
          status,
          field,
        ]);
      }
    });

    it('are validated together with the stored fields, in single and bulk changes', async () => {
      const link = await owner.aLink({ starts_at: inAnHour(2), expire_after: inAnHour(4) });
      const free = await owner.aLink();
      const field = async (body: object): Promise<string> =>
        (await owner.update(link.id, body)).body.field as string;
      expect(await field({ expire_after: inAnHour(1) })).toBe('expire_after');
      expect(await field({ starts_at: inAnHour(5) })).toBe('starts_at');
      const ids = [link.id, free.id];
      const bulk = (route: string, body: object) =>
        owner.call('post', `/api/v1/urls/bulk/${route}`, body);
      const ok = { ok: true, error_code: null };
      const refused = { ok: false, error_code: 'validation_error' };
      const expiry = await bulk('expiry', { ids, expire_after: inAnHour(1) });
      expect(expiry.body.results).toMatchObject([refused, ok]);
      expect(expiry.body.results[0]).not.toHaveProperty('field');
      const set = { starts_at: inAnHour(5), expire_after: null };
      expect(
        (await bulk('update', { ids, set: { starts_at: set.starts_at } })).body.results,
      ).toMatchObject([
        { ...refused, field: 'starts_at' },
        { ...refused, field: 'starts_at' },
      ]);
      expect((await owner.show(link.id)).body.starts_at).toBeLessThan(set.starts_at);
      expect((await bulk('update', { ids, set })).body.results).toMatchObject([ok, ok]);
      expect((await owner.show(link.id)).body).toMatchObject(set);
      const crossed = { starts_at: inAnHour(2), expire_after: inAnHour(1) };
      const judged = await bulk('update', { ids, set: crossed });
      expect([judged.status, judged.body.field]).toEqual([400, 'set.starts_at']);
      const made = await bulk('create', {
        links: [
          { long_url: TARGET, ...crossed },
          { long_url: TARGET, ...all() },
        ],
      });
      expect(made.body.results).toMatchObject([
        { ...refused, field: 'starts_at' },
        { ...ok, url: { pre_start_url: SOON, forward_query: true } },
      ]);
    });

    it('require an account', async () => {
      for (const [field, value] of Object.entries(all())) {
        const answer = await shorten(service, { long_url: TARGET, [field]: value });
        expect([answer.status, answer.body.field]).toEqual([401, field]);
      }
      const unset = { starts_at: null, pre_start_url: null, forward_query: false };
      expect((await shorten(service, { long_url: TARGET, ...unset })).status).toBe(201);
      const form = request(service.url).post('/').set('Accept', 'application/json').type('form');
      const legacy = await form.send({ url: TARGET, starts_at: inAnHour(), forward_query: 'true' });
      expect(legacy.status).toBe(200);
      const alias = (legacy.body.short_url as string).split('/').at(-1) ?? '';
      expect(await at(`${alias}?a=1`)).toBe(`302 ${TARGET}`);
    });

    it('are compared when a link is reused', async () => {
      const reuse = async (input: object): Promise<number> => {
        const body = { long_url: 'https://reuse.example/', reuse: true, ...input };
        return (await owner.call('post', '/api/v1/shorten', body)).status;
      };
      const given = all();
      expect([await reuse({}), await reuse({})]).toEqual([201, 200]);
      for (const field of FIELDS) {
        const input = { [field]: given[field] };
        expect([field, await reuse(input), await reuse(input)]).toEqual([field, 201, 200]);
      }
      expect(await reuse({})).toBe(200);
    });
  });
});
