import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Connection } from 'mongoose';
import request from 'supertest';
import { ApiClient } from '../../support/api-client';
import { aBlocklist } from '../../support/factories/blocklist';
import { clicksCounted, databaseOf } from '../../support/database';
import { anAddress, post, shorten, visit } from '../../support/http';
import { startService, type Service } from '../../support/service';

const TEMPLATES = '/api/v1/utm-templates';
const NO_VALUES = { source: null, medium: null, campaign: null, term: null, content: null };
const URL = 'https://shop.example/spring';
const UNKNOWN_ID = '0123456789abcdef01234567';

interface Template {
  readonly id: string;
  readonly name: string;
}

describe('UTM', () => {
  let service: Service;
  let owner: ApiClient;
  let database: Connection;
  beforeAll(async () => {
    const limits = join(mkdtempSync(join(tmpdir(), 'curtail-limits-')), 'limits.json');
    const rows = ['utm.create', 'utm.update', 'links.create', 'links.update', 'stats.link'];
    writeFileSync(limits, JSON.stringify(Object.fromEntries(rows.map((row) => [row, 'off']))));
    const list = aBlocklist('utm_source=blocked');
    service = await startService({ env: { LIMITS_FILE: limits, BLOCKED_URLS_FILE: list } });
    database = await databaseOf(service);
    owner = await ApiClient.on(service);
  });
  afterAll(async () => {
    await database.close();
    await service.stop();
  });

  const aTemplate = async (body: object = {}, client = owner): Promise<Template> => {
    const answer = await client.call('post', TEMPLATES, { name: 'News', source: 'news', ...body });
    expect(answer.status).toBe(201);
    return answer.body as Template;
  };
  const templatesOf = async (client: ApiClient): Promise<Template[]> => {
    const answer = await client.call('get', TEMPLATES);
    expect(answer.status).toBe(200);
    return (answer.body as { templates: Template[] }).templates;
  };

  describe('templates', () => {
    it('are created, listed by name, changed and deleted', async () => {
      const client = await ApiClient.on(service);
      const before = Math.floor(Date.now() / 1000);
      const made = await client.call('post', TEMPLATES, {
        name: '  spring newsletter ',
        source: ' news ',
        campaign: `${'🦊'.repeat(99)}<`,
        term: null,
      });
      expect(made.status).toBe(201);
      expect(made.body).toEqual({
        ...NO_VALUES,
        id: expect.stringMatching(/^[0-9a-f]{24}$/),
        name: 'spring newsletter',
        source: 'news',
        campaign: `${'🦊'.repeat(99)}<`,
        created_at: expect.any(Number),
      });
      const { id, created_at: createdAt } = made.body as { id: string; created_at: number };
      expect(createdAt).toBeGreaterThanOrEqual(before);
      const second = await aTemplate({ name: 'Ads' }, client);
      const same = await aTemplate({ name: 'Spring newsletter' }, client);
      const other = await aTemplate({ name: 'spring newsletter' }, client);
      const names = (await templatesOf(client)).map((template) => template.id);
      expect(names).toEqual([second.id, id, other.id, same.id]);
      expect((await templatesOf(client))[1]).toEqual(made.body);

      const change = { source: null, medium: 'email', name: null };
      const changed = await client.call('patch', `${TEMPLATES}/${id.toUpperCase()}`, change);
      expect(changed.status).toBe(200);
      expect(changed.body).toEqual({ ...(made.body as object), source: null, medium: 'email' });
      const unchanged = await client.call('patch', `${TEMPLATES}/${id}`, {});
      expect([unchanged.status, unchanged.body]).toEqual([200, changed.body]);

      const deleted = await client.call('delete', `${TEMPLATES}/${id}`);
      expect([deleted.status, deleted.body]).toEqual([200, { message: expect.any(String), id }]);
      expect((await client.call('delete', `${TEMPLATES}/${id}`)).status).toBe(404);
      expect(await templatesOf(client)).toHaveLength(3);
    });

    it.each<[object, string]>([
      [{ source: 'x' }, 'name'],
      [{ name: 'x', ...NO_VALUES }, 'source'],
      [{ name: 'x', content: 'a\nb' }, 'content'],
    ])('%j is invalid and returns 422', async (body, field) => {
      const answer = await owner.call('post', TEMPLATES, body);
      expect([answer.status, answer.body]).toMatchObject([422, { field }]);
    });

    it('have at least one value', async () => {
      const { id } = await aTemplate({ medium: 'email' });
      const change = (body: object) => owner.call('patch', `${TEMPLATES}/${id}`, body);
      expect((await change({ source: null })).status).toBe(200);
      for (const body of [{ medium: null }, NO_VALUES, { name: 'x', medium: null }]) {
        const refused = await change(body);
        expect([refused.status, refused.body]).toMatchObject([400, { code: 'validation_error' }]);
      }
      expect((await change({ medium: null, term: 'x' })).body).toMatchObject({
        name: 'News',
        medium: null,
        term: 'x',
      });
      expect((await change({ term: 'a\u0000' })).body).toMatchObject({ field: 'term' });
    });

    it.each(['patch', 'delete'] as const)('%s finds only those of the account', async (method) => {
      const stranger = await ApiClient.on(service);
      const { id } = await aTemplate();
      const ask = (client: ApiClient, which: string) =>
        client.call(
          method,
          `${TEMPLATES}/${which}`,
          method === 'patch' ? { term: 'x' } : undefined,
        );
      expect(await ask(owner, 'spring')).toMatchObject({ status: 400, body: { field: 'id' } });
      const [unknown, foreign] = [await ask(owner, UNKNOWN_ID), await ask(stranger, id)];
      expect(unknown).toMatchObject({ status: 404, body: { code: 'not_found' } });
      expect(foreign).toMatchObject({ status: 404, body: unknown.body as object });
      expect((await ask(owner, id)).status).toBe(200);
    });

    it('require a credential with the scope', async () => {
      const [reader, manager] = [
        await owner.withKey('urls:read'),
        await owner.withKey('urls:manage'),
      ];
      const { id } = await aTemplate();
      const body = { name: 'x', source: 'y' };
      expect((await reader.call('get', TEMPLATES)).status).toBe(200);
      expect((await manager.call('get', TEMPLATES)).status).toBe(403);
      expect((await reader.call('post', TEMPLATES, body)).status).toBe(403);
      expect((await reader.call('patch', `${TEMPLATES}/${id}`, body)).status).toBe(403);
      expect((await reader.call('delete', `${TEMPLATES}/${id}`)).status).toBe(403);
      expect((await manager.call('post', TEMPLATES, body)).status).toBe(201);
      expect((await manager.call('delete', `${TEMPLATES}/${id}`)).status).toBe(200);
      expect((await post(service, TEMPLATES, body)).status).toBe(401);
      const anonymous = request(service.url).get(TEMPLATES).set('X-Forwarded-For', anAddress());
      expect((await anonymous).status).toBe(401);
    });

    it('are created once if a request is repeated', async () => {
      const client = await ApiClient.on(service);
      const send = () =>
        client
          .call('post', TEMPLATES, { name: 'x', source: 'y' })
          .set('Idempotency-Key', '0b5ff4f5-5dd6-4a37-9a5e-2f7a7f3f3c11');
      const [first, second] = [await send(), await send()];
      expect([first.status, second.status]).toEqual([201, 201]);
      expect(second.body).toEqual(first.body);
      expect(await templatesOf(client)).toEqual([first.body]);
    });

    it('are limited to a hundred, even for concurrent requests', async () => {
      const client = await ApiClient.on(service);
      const make = () => client.call('post', TEMPLATES, { name: 'x', source: 'y' });
      for (let made = 0; made < 95; made += 19) {
        await Promise.all(Array.from({ length: 19 }, () => aTemplate({}, client)));
      }
      const answers = await Promise.all(Array.from({ length: 12 }, make));
      const statuses = answers.map(({ status }) => status).sort();
      expect(statuses).toEqual([...Array<number>(5).fill(201), ...Array<number>(7).fill(400)]);
      const [first] = await templatesOf(client);
      expect((await client.call('delete', `${TEMPLATES}/${first?.id}`)).status).toBe(200);
      expect((await make()).status).toBe(201);
      expect(await make()).toMatchObject({ status: 400, body: { code: 'validation_error' } });
    });
  });

  describe('of a link', () => {
    const create = (input: object) =>
      owner.call('post', '/api/v1/shorten', { long_url: URL, ...input });

    it('are added to the destination, for all callers', async () => {
      const utm = { source: ' news ', medium: 'é & b', campaign: null, content: 'a+b' };
      const merged = `${URL}?q=%7e&utm_source=news&utm_medium=%C3%A9%20%26%20b&utm_content=a%2Bb#top`;
      const made = await shorten(service, { long_url: `${URL}?q=%7e#top`, utm });
      expect([made.status, made.body]).toMatchObject([201, { long_url: merged }]);
      expect((await visit(service, made.body.alias as string)).headers.location).toBe(merged);
      const fox = await shorten(service, { long_url: URL, utm: { term: '🦊'.repeat(100) } });
      expect(fox.status).toBe(201);
      expect((await shorten(service, { long_url: URL, utm: null })).body.long_url).toBe(URL);
    });

    it('include missing values from a template, which may be deleted later', async () => {
      const { id } = await aTemplate({ medium: 'email', campaign: 'spring' });
      const utm = { template: id.toUpperCase(), campaign: 'own' };
      const link = await owner.aLink({ long_url: `${URL}?utm_medium=kept`, utm });
      const merged = `${URL}?utm_medium=kept&utm_source=news&utm_campaign=own`;
      expect(link.long_url).toBe(merged);
      await owner.call('delete', `${TEMPLATES}/${id}`);
      expect((await owner.show(link.id)).body.long_url).toBe(merged);
    });

    it('change the existing destination, or the new one', async () => {
      const link = await owner.aLink({ long_url: `${URL}?utm_source=a&b` });
      const update = async (body: object) => (await owner.update(link.id, body)).body as object;
      const before = await update({ utm: { source: 'c' } });
      expect(before).toMatchObject({ long_url: `${URL}?utm_source=a&b` });
      expect(before).toMatchObject({ updated_at: link.created_at });
      expect(await update({ utm: { source: 'c', overwrite: true } })).toMatchObject({
        long_url: `${URL}?utm_source=c&b`,
      });
      const { id } = await aTemplate();
      const long_url = 'https://other.example';
      expect(await update({ long_url, utm: { template: id } })).toMatchObject({
        long_url: `${long_url}?utm_source=news`,
      });
      expect(await update({ utm: null, private_stats: false })).toMatchObject({
        long_url: `${long_url}?utm_source=news`,
      });
    });

    it.each<[number, string, unknown]>([
      [422, 'utm', {}],
      [422, 'utm.mediun', { source: 'x', mediun: 'y' }],
      [400, 'utm.template', { template: UNKNOWN_ID, source: 'x' }],
      [400, 'utm', { source: '🦊'.repeat(100), medium: '🦊'.repeat(100) }],
      [400, 'long_url', { source: 'blocked' }],
    ])('%i at %s for %j', async (status, field, utm) => {
      const made = await create({ utm });
      expect([made.status, made.body]).toMatchObject([status, { field }]);
      const link = await owner.aLink({ long_url: URL });
      const changed = await owner.update(link.id, { utm });
      expect([changed.status, changed.body]).toMatchObject([status, { field }]);
    });

    it("cannot come from other accounts' templates, and not from a template without an account", async () => {
      const { id } = await aTemplate({}, await ApiClient.on(service));
      const foreign = await create({ utm: { template: id } });
      expect([foreign.status, foreign.body]).toMatchObject([400, { field: 'utm.template' }]);
      const anonymous = await shorten(service, { long_url: 'x', utm: { template: id } });
      expect([anonymous.status, anonymous.body]).toMatchObject([
        401,
        { code: 'authentication_error', field: 'utm.template' },
      ]);
    });

    it('do not hide errors of the destination', async () => {
      const answer = await create({ long_url: 'mailto:a@b.test', utm: { template: UNKNOWN_ID } });
      expect([answer.status, answer.body]).toMatchObject([400, { field: 'long_url' }]);
    });
  });

  it.each([
    ['at once', {}],
    ['with a click limit', { max_clicks: 9 }],
    ['behind a password', { password: 'tulips@2030' }],
  ])(
    'of a visited address take precedence over those of the destination, %s',
    async (_, settings) => {
      const utm = { source: 'news', medium: 'e mail', campaign: '🦊' };
      const link = await owner.aLink({ long_url: `${URL}#top`, utm, ...settings });
      const open = async (query: string) => {
        const headers = { 'X-Link-Password': 'tulips@2030' };
        expect((await visit(service, link.alias + query, headers)).status).toBe(302);
      };
      await open('');
      await open('?utm_source=&utm_term=x');
      await open('?utm_medium=poster');
      await owner.update(link.id, { long_url: `${URL}?utm_campaign=autumn` });
      await open('?utm_source=flyer');
      await open('');
      await owner.update(link.id, { long_url: URL });
      await open('');
      await clicksCounted(database, link.alias, 6);

      const dimensions = ['utm_source', 'utm_medium', 'utm_campaign'];
      const query = `group_by=${dimensions.join()}&metrics=clicks`;
      const answer = await owner.call('get', `/api/v1/stats/links/${link.id}?${query}`);
      const { metrics } = answer.body as { metrics: Record<string, Record<string, unknown>[]> };
      const counted = dimensions.map((dimension) =>
        Object.fromEntries(
          (metrics[`clicks_by_${dimension}`] ?? []).map((row) => [row[dimension], row.clicks]),
        ),
      );
      expect(counted).toEqual([
        { news: 2, flyer: 1, '(none)': 3 },
        { 'e mail': 2, poster: 1, '(none)': 3 },
        { '🦊': 2, autumn: 1, '(none)': 3 },
      ]);
    },
  );
});
