import mongoose from 'mongoose';
import type { LinkRecord } from '../../../src/stores/links/link.schema';
import { aStoredLink } from '../../support/shared/stored-link';
import { databaseOf } from '../../support/database';
import { ApiClient } from '../../support/api-client';
import { startService, type Service } from '../../support/service';

const HOUR = 3_600_000;
const day = (n: number): Date => new Date(Date.UTC(2026, 9, n, 10, 0, 0, 500));

describe('GET /api/v1/urls', () => {
  let service: Service;
  let database: mongoose.Connection;
  let owner: ApiClient;

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

  const store = (changes: Partial<LinkRecord> = {}): Promise<string> =>
    aStoredLink(database, {
      owner: new mongoose.Types.ObjectId(owner.account.userId),
      ...changes,
    });
  const ids = async (query: Record<string, string | number> = {}): Promise<string[]> => {
    const { status, body } = await owner.list(query);
    expect(status).toBe(200);
    return (body.items as { id: string }[]).map(({ id }) => id);
  };
  const filtered = (filter: object): Promise<string[]> => ids({ filter: JSON.stringify(filter) });

  it('returns an empty list to an account without links', async () => {
    const { status, body } = await owner.list();
    expect(status).toBe(200);
    expect(body).toEqual({
      items: [],
      page: 1,
      pageSize: 20,
      total: 0,
      hasNext: false,
      sortBy: 'created_at',
      sortOrder: 'descending',
    });
  });

  it.each([
    ['created_at', [0, 1, 2, 3]],
    ['last_click', [3, 1, 0, 2]],
    ['total_clicks', [3, 0, 1, 2]],
  ])(
    'sorts by %s in the same way before and after the links are loaded',
    async (sortBy, ascending) => {
      const stored: string[] = [];
      for (const [last_click, total_clicks] of [
        [day(2), 4],
        [day(1), 4],
        [day(2), 9],
        [null, 0],
      ] as const) {
        stored.push(await store({ created_at: day(3), last_click, total_clicks }));
      }
      const expected = ascending.map((i) => stored[i] ?? '');
      for (const sortOrder of ['ascending', 'descending']) {
        const read = () => ids({ sortBy, sortOrder });
        const beforeLoad = await read();
        // A filter waits until the links are loaded.
        await filtered({ status: 'ACTIVE' });
        expect([beforeLoad, await read()]).toEqual([expected, expected]);
        expected.reverse();
      }
    },
  );

  it('returns items as in docs/contract.md#6.1, equal to the response for a single link', async () => {
    const expiry = Math.floor(Date.now() / 1000) + 3600;
    const plain = await owner.aLink({ alias: 'plain' });
    const full = await owner.aLink({
      long_url: 'https://example.com/%C3%A9?q=1#x',
      password: 'secret1@',
      max_clicks: 5,
      expire_after: expiry,
      block_bots: true,
      private_stats: false,
    });
    const { body } = await owner.list({ sortOrder: 'asc' });
    expect(body.items).toEqual([
      {
        id: plain.id,
        alias: 'plain',
        short_url: `http://localhost:${service.port}/plain`,
        long_url: 'https://example.com/target',
        status: 'ACTIVE',
        created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
        expire_after: null,
        max_clicks: null,
        private_stats: true,
        block_bots: false,
        count_bots: true,
        domain: null,
        starts_at: null,
        pre_start_url: null,
        expired_redirect_url: null,
        forward_query: false,
        rules: null,
        geo_rules: null,
        ab_variants: null,
        password_set: false,
        total_clicks: 0,
        last_click: null,
        title: null,
        note: null,
        tags: [],
        paused: false,
      },
      expect.objectContaining({
        id: full.id,
        long_url: 'https://example.com/%C3%A9?q=1#x',
        expire_after: expiry,
        max_clicks: 5,
        private_stats: false,
        block_bots: true,
        count_bots: true,
        domain: null,
        starts_at: null,
        pre_start_url: null,
        expired_redirect_url: null,
        forward_query: false,
        rules: null,
        geo_rules: null,
        ab_variants: null,
        password_set: true,
      }),
    ]);
    for (const item of body.items) {
      const one = await owner.show(item.id as string);
      expect(one.status).toBe(200);
      expect(one.body).toEqual(item);
    }
  });

  it("includes neither other accounts' links nor anonymous ones", async () => {
    const other = await ApiClient.on(service);
    await other.aLink();
    await aStoredLink(database);
    const mine = await owner.aLink();
    expect(await ids()).toEqual([mine.id]);
  });

  it.each(['search', 'q', 'status', 'passwordSet'])(
    'rejects %s outside the filter, and ignores unknown parameters',
    async (name) => {
      for (const path of ['/api/v1/urls', '/api/v1/urls/export']) {
        const ask = (query: object) => owner.call('get', path).query({ format: 'csv', ...query });
        const { status, body } = await ask({ [name]: 'x' });
        expect({ status, body }).toMatchObject({ status: 422, body: { field: name } });
        expect(body.hint).toContain('Use filter={"');
        expect((await ask({ title: 'x', _: '1' })).status).toBe(200);
      }
    },
  );

  it('explains where to find ids if the request contains an alias instead', async () => {
    const { alias } = await owner.aLink();
    const { status, body } = await owner.call('get', `/api/v1/urls/${alias}`);
    expect({ status, body }).toMatchObject({
      status: 400,
      body: { field: 'url_id', error: expect.stringContaining('not an alias') },
    });
  });

  it('paginates, says whether there are more links, and returns nothing beyond the end', async () => {
    const all: string[] = [];
    for (let i = 0; i < 5; i++) all.push(await store({ created_at: day(i + 1) }));
    all.reverse();
    for (const [page, hasNext] of [
      [1, true],
      [2, true],
      [3, false],
      [4, false],
    ] as const) {
      const { status, body } = await owner.list({ page, pageSize: 2 });
      expect(status).toBe(200);
      expect(body).toMatchObject({ page, pageSize: 2, total: 5, hasNext });
      const expected = all.slice((page - 1) * 2, page * 2);
      expect((body.items as { id: string }[]).map(({ id }) => id)).toEqual(expected);
    }
    expect((await owner.list({ page: 1, pageSize: 5 })).body.hasNext).toBe(false);
  });

  it.each(['created_at', 'last_click', 'total_clicks'] as const)(
    'sorts by %s, with equal values and nulls in the direction of the sort',
    async (field) => {
      const values = {
        created_at: [day(3), day(1), day(1), day(2)],
        last_click: [null, day(1), null, day(2)],
        total_clicks: [4, 0, 0, 2],
      }[field];
      const stored: { id: string; value: number }[] = [];
      for (const value of values) {
        stored.push({ id: await store({ [field]: value }), value: Number(value ?? -1) });
      }
      const ascending = stored
        .sort((a, b) => a.value - b.value || (a.id < b.id ? -1 : 1))
        .map(({ id }) => id);
      for (const sortOrder of ['ascending', 'asc', '1']) {
        const { body } = await owner.list({ sortBy: field, sortOrder });
        expect((body.items as { id: string }[]).map(({ id }) => id)).toEqual(ascending);
        expect(body).toMatchObject({ sortBy: field, sortOrder: 'ascending' });
      }
      for (const sortOrder of ['descending', 'desc', '-1']) {
        const { body } = await owner.list({ sortBy: field, sortOrder });
        const descending = [...ascending].reverse();
        expect((body.items as { id: string }[]).map(({ id }) => id)).toEqual(descending);
        expect(body.sortOrder).toBe('descending');
      }
    },
  );

  it('filters by reported status', async () => {
    const active = await store({ expire_after: new Date(Date.now() + HOUR) });
    const expired = await store({ expire_after: new Date(Date.now() - HOUR) });
    const off = await store({ status: 'INACTIVE' });
    expect(await filtered({ status: 'ACTIVE' })).toEqual([active]);
    expect((await filtered({ status: 'INACTIVE' })).sort()).toEqual([expired, off].sort());
    const usedUp = await store({ status: 'INACTIVE', closed_by_limit: true, max_clicks: 1 });
    expect((await filtered({ status: 'EXPIRED' })).sort()).toEqual([expired, usedUp].sort());
    expect(await filtered({ status: 'BLOCKED' })).toEqual([]);
    const { body } = await owner.list({ filterBy: '{"status":"INACTIVE"}' });
    expect(body.total).toBe(3);
    expect((body.items as { status: string }[]).every((i) => i.status === 'INACTIVE')).toBe(true);
  });

  it('filters by password, limit and creation time, with all keys together', async () => {
    const [one, two, three] = [
      await store({ created_at: day(1), password_hash: '$2b$x' }),
      await store({ created_at: day(2), max_clicks: 3 }),
      await store({ created_at: day(3), password_hash: '$2b$x', max_clicks: 3 }),
    ];
    expect(await filtered({ passwordSet: true })).toEqual([three, one]);
    expect(await filtered({ passwordSet: false })).toEqual([two]);
    expect(await filtered({ maxClicksSet: true })).toEqual([three, two]);
    expect(await filtered({ passwordSet: true, maxClicksSet: true })).toEqual([three]);
    expect(await filtered({ createdAfter: day(2).toISOString() })).toEqual([three, two]);
    expect(await filtered({ createdBefore: day(2).toISOString() })).toEqual([two, one]);
    const second = Math.floor(day(2).getTime() / 1000);
    expect(await filtered({ createdAfter: second, createdBefore: second })).toEqual([two]);
    expect(await filtered({ createdAfter: String(second + 1) })).toEqual([three]);
    expect(await filtered({ createdAfter: '2026-10-02', createdBefore: '2026-10-03' })).toEqual([
      two,
    ]);
  });

  it('searches aliases and destinations for the exact text, ignoring case', async () => {
    const one = await store({ alias: `Ab.c${Date.now()}`, long_url: 'https://one.test/A+b?x=(1)' });
    const two = await store({ long_url: 'https://two.test/ÉTÉ' });
    expect(await filtered({ search: 'aB.C' })).toEqual([one]);
    expect(await filtered({ search: 'a+B?X=(1)' })).toEqual([one]);
    expect(await filtered({ search: 'été' })).toEqual([two]);
    expect(await filtered({ search: '.*' })).toEqual([]);
    expect(await filtered({ search: 'test' })).toEqual([two, one]);
    expect(await filtered({ search: '' })).toEqual([two, one]);
  });

  it('matches all words, in any order, each in the alias or the destination', async () => {
    const one = await store({
      alias: `spring-${Date.now()}`,
      long_url: 'https://one.test/fb/sale',
    });
    const two = await store({ long_url: 'https://two.test/fb/spring' });
    expect(await filtered({ search: 'SALE spring' })).toEqual([one]);
    expect(await filtered({ search: ' fb\u00a0 test ' })).toEqual([two, one]);
    expect(await filtered({ search: 'fb nowhere' })).toEqual([]);
    expect(await filtered({ search: ' ' })).toEqual([two, one]);
    const { status, body } = await owner.list({
      filter: `{"search":"${'abcdefghijklmnopqrstu'.split('').join(' ')}"}`,
    });
    expect([status, body.field]).toEqual([422, 'filter']);
  });

  it('finds exactly the link of a short URL in any notation', async () => {
    const alias = `copied-${Date.now()}`;
    const one = await store({ alias, long_url: 'https://one.test/' });
    await store({ alias: `${alias}-2`, long_url: 'https://two.test/' });
    const host = `localhost:${service.port}`;
    for (const url of [
      `http://${host}/${alias}`,
      `${host}/${alias}+?x=1`,
      `HTTPS://www.${host}/${alias.toUpperCase()}/`,
      `localhost/${alias}`,
      `http://${host}/${alias} one.test`,
    ]) {
      expect([url, await filtered({ search: url })]).toEqual([url, [one]]);
    }
    expect(await filtered({ search: `${host}/${alias} two.test` })).toEqual([]);
  });

  it.each([
    ['page', '0'],
    ['page', '-1'],
    ['page', '1.5'],
    ['page', 'x'],
    ['page', ''],
    ['page', '1e1'],
    ['pageSize', '0'],
    ['pageSize', '101'],
    ['pageSize', 'many'],
    ['sortBy', 'long_url'],
    ['sortBy', ''],
    ['sortOrder', 'up'],
    ['sortOrder', 'DESC'],
    ['filter', 'not json'],
    ['filter', '[]'],
    ['filter', 'null'],
    ['filter', '{"status":"active"}'],
    ['filter', '{"passwordSet":"true"}'],
    ['filter', '{"createdAfter":true}'],
    ['filter', `{"search":"${'x'.repeat(501)}"}`],
    ['filterBy', '5'],
  ])('rejects %s=%s with 422', async (name, value) => {
    const { status, body } = await owner.list({ [name]: value });
    expect(status).toBe(422);
    const field = name === 'filterBy' ? 'filter' : name;
    expect(body).toMatchObject({ code: 'validation_error', field });
  });

  it('rejects a misspelt filter key, with a hint', async () => {
    const { status, body } = await owner.list({ filter: '{"created_after":"2026-01-01"}' });
    expect(status).toBe(422);
    expect(body).toMatchObject({
      field: 'created_after',
      hint: 'Use createdAfter instead of created_after',
    });
  });

  it('rejects a filter of more than 10000 characters with 422', async () => {
    for (const name of ['filter', 'filterBy']) {
      const { status, body } = await owner.list({ [name]: `{"x":"${'x'.repeat(9_992)}"}` });
      expect(status).toBe(200);
      expect(body.total).toBe(0);
      const long = await owner.list({ [name]: `{"x":"${'x'.repeat(9_993)}"}` });
      expect(long.status).toBe(422);
      expect(long.body.field).toBe(name);
    }
  });

  it('rejects an unreadable time in the filter with 400', async () => {
    for (const key of ['createdAfter', 'createdBefore']) {
      const { status, body } = await owner.list({ filter: JSON.stringify({ [key]: 'soon' }) });
      expect(status).toBe(400);
      expect(body).toMatchObject({ code: 'validation_error', field: 'filter' });
    }
  });

  it('includes links immediately after they are created, changed and deleted', async () => {
    const link = await owner.aLink({ alias: 'first-name' });
    expect(await filtered({ search: 'first-name' })).toEqual([link.id]);
    await owner.update(link.id, { alias: 'second-name', max_clicks: 3 });
    expect(await filtered({ search: 'first-name' })).toEqual([]);
    expect(await filtered({ search: 'second-name', maxClicksSet: true })).toEqual([link.id]);
    await owner.setStatus(link.id, 'INACTIVE');
    expect(await filtered({ status: 'INACTIVE' })).toEqual([link.id]);
    await owner.remove(link.id);
    const { body } = await owner.list();
    expect(body).toMatchObject({ items: [], total: 0 });
  });

  it('requires urls:read or admin:all, and rejects other keys, anonymous and unverified callers', async () => {
    await owner.aLink();
    for (const scope of ['urls:read', 'admin:all'] as const) {
      const { status, body } = await (await owner.withKey(scope)).list();
      expect({ status, total: body.total as number }).toEqual({ status: 200, total: 1 });
    }
    const manager = await owner.withKey('urls:manage', 'stats:read', 'shorten:create');
    expect((await manager.list()).body.code).toBe('forbidden');
    const nobody = await fetch(`${service.url}/api/v1/urls`);
    expect(nobody.status).toBe(401);
  });
});
