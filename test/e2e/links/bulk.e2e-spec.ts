import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { anAccount } from '../../support/factories/accounts';
import { aLink, type MadeLink } from '../../support/factories/links';
import { bearer, post, visit } from '../../support/http';
import { databaseOf } from '../../support/database';
import { ApiClient } from '../../support/api-client';
import { SeededRandom } from '../../support/fuzz/seeded-random';
import { eventually, startService, type Service } from '../../support/service';

const UNKNOWN = 'f'.repeat(24);
const ROUTES = ['create', 'update', 'status', 'expiry', 'delete'] as const;
const OK = { ok: true, error_code: null, error: null };
const TARGET = 'https://example.com/target';

const inAnHour = (): number => Math.floor(Date.now() / 1000) + 3600;
const refused = (error_code: string): object => ({
  ok: false,
  error_code,
  error: expect.stringMatching(/./) as string,
});
const links = (count: number, item: object = {}): object[] =>
  Array.from({ length: count }, () => ({ long_url: TARGET, ...item }));

function lifted(): string {
  const file = join(mkdtempSync(join(tmpdir(), 'curtail-limits-')), 'limits.json');
  const rows = ['links.create', 'links.bulk-create', 'links.bulk', 'links.bulk-delete'];
  writeFileSync(file, JSON.stringify(Object.fromEntries(rows.map((row) => [row, 'off']))));
  return file;
}

describe('POST /api/v1/urls/bulk', () => {
  let service: Service;
  let owner: ApiClient;

  beforeAll(async () => {
    service = await startService({ env: { LIMITS_FILE: lifted(), WEB_CONCURRENCY: '2' } });
  });
  afterAll(() => service.stop());

  const makeOwner = async (): Promise<void> => {
    owner = await ApiClient.on(service);
  };
  const bulk = (route: string, body: unknown, client = owner) =>
    client.call('post', `/api/v1/urls/bulk/${route}`, body);
  const some = async (count: number, input: object = {}): Promise<MadeLink[]> => {
    const made: MadeLink[] = [];
    for (let i = 0; i < count; i++) made.push(await owner.aLink(input));
    return made;
  };
  const statusOf = async (alias: string): Promise<number> => (await visit(service, alias)).status;
  const statusesOf = async (alias: string): Promise<Set<number>> =>
    new Set(await Promise.all(Array.from({ length: 6 }, () => statusOf(alias))));

  describe('changes status and expiry, and deletes, in the formats of spoo.me', () => {
    beforeEach(makeOwner);

    it('pauses and resumes links, in the order of their ids', async () => {
      const [one, two] = (await some(2)) as [MadeLink, MadeLink];
      const theirs = await (await ApiClient.on(service)).aLink();
      const nobodys = await aLink(service);
      await statusesOf(one.alias);
      const ids = [two.id, UNKNOWN, one.id.toUpperCase(), theirs.id, two.id, nobodys.id];
      const { status, body } = await bulk('status', { ids, status: 'INACTIVE' });
      expect(status).toBe(200);
      const stranger = { alias: null, ...refused('not_found') };
      expect(body).toEqual({
        summary: { total: 5, succeeded: 2, failed: 3 },
        results: [
          { id: two.id, alias: two.alias, ...OK },
          { id: UNKNOWN, ...stranger },
          { id: one.id, alias: one.alias, ...OK },
          { id: theirs.id, ...stranger },
          { id: nobodys.id, ...stranger },
        ],
      });
      expect(await statusesOf(one.alias)).toEqual(new Set([410]));
      expect(await statusOf(theirs.alias)).toBe(302);
      const again = await bulk('status', { ids: [one.id], status: 'INACTIVE' });
      expect(again.body.results).toEqual([{ id: one.id, alias: one.alias, ...OK }]);
      await bulk('status', { ids: [one.id], status: 'ACTIVE' });
      expect(await statusesOf(one.alias)).toEqual(new Set([302]));
    });

    it('sets and removes an expiry', async () => {
      const made = await some(2);
      const ids = made.map(({ id }) => id);
      const expiry = inAnHour();
      const set = await bulk('expiry', {
        ids,
        expire_after: new Date(expiry * 1000).toISOString(),
      });
      expect(set.body.summary).toEqual({ total: 2, succeeded: 2, failed: 0 });
      for (const id of ids) expect((await owner.show(id)).body.expire_after).toBe(expiry);
      await bulk('expiry', { ids: [ids[0]], expire_after: null });
      const shown = await Promise.all(ids.map((id) => owner.show(id)));
      expect(shown.map(({ body }) => body.expire_after as unknown)).toEqual([null, expiry]);
    });

    it('deletes links with their clicks, and returns not_found the second time', async () => {
      const [one, two] = (await some(2)) as [MadeLink, MadeLink];
      await visit(service, one.alias);
      const { body } = await bulk('delete', { ids: [one.id, two.id] });
      expect(body.results).toEqual([one, two].map(({ id, alias }) => ({ id, alias, ...OK })));
      expect(await statusesOf(one.alias)).toEqual(new Set([404]));
      const again = await bulk('delete', { ids: [one.id] });
      expect(again.body.results).toEqual([{ id: one.id, alias: null, ...refused('not_found') }]);
      const next = await owner.aLink({ alias: one.alias });
      await visit(service, next.alias);
      await eventually('the new link counts alone', async () => {
        return (await owner.show(next.id)).body.total_clicks === 1;
      });
      expect((await owner.list()).body.total).toBe(1);
    });

    it('deletes a link once for two concurrent requests', async () => {
      const made = await some(5);
      const ids = made.map(({ id }) => id);
      const answers = await Promise.all([bulk('delete', { ids }), bulk('delete', { ids })]);
      const deleted = answers.map(({ body }) => body.summary.succeeded as number);
      expect(deleted[0]! + deleted[1]!).toBe(5);
    });
  });

  describe('update', () => {
    beforeEach(makeOwner);

    it('sets the same values on all links, like PATCH', async () => {
      const [one, limited] = (await some(2)) as [MadeLink, MadeLink];
      await owner.update(limited.id, { max_clicks: 1 });
      await visit(service, limited.alias);
      expect(await statusOf(limited.alias)).toBe(410);
      const ids = [one.id, UNKNOWN, limited.id];
      const set = {
        max_clicks: 2,
        block_bots: true,
        url: 'https://two.test/',
        password: undefined,
      };
      const { body } = await bulk('update', { ids, set });
      expect(body).toEqual({
        summary: { total: 3, succeeded: 2, failed: 1 },
        results: [
          { id: one.id, alias: one.alias, ...OK, index: 0, field: null },
          { id: UNKNOWN, alias: null, ...refused('not_found'), index: 1, field: null },
          { id: limited.id, alias: limited.alias, ...OK, index: 2, field: null },
        ],
      });
      // The higher limit reopens the link for one click.
      const { status, headers } = await visit(service, limited.alias);
      expect([status, headers.location]).toEqual([302, 'https://two.test/']);
      expect(await statusOf(limited.alias)).toBe(410);
      await bulk('update', { ids, set: { max_clicks: 0 } });
      expect((await owner.show(limited.id)).body).toMatchObject({
        max_clicks: null,
        block_bots: true,
      });
    });

    it('removes tags and then adds others, up to 20 per link', async () => {
      const many = Array.from({ length: 20 }, (_, i) => `tag ${i}`);
      const full = await owner.aLink({ tags: many });
      const one = await owner.aLink({ tags: ['Old', 'kept'] });
      const bare = await owner.aLink();
      const ids = [full, one, bare].map(({ id }) => id);
      const tagsOf = async (): Promise<unknown[]> =>
        Promise.all(ids.map(async (id) => (await owner.show(id)).body.tags as unknown));
      const change = { add_tags: ['New', 'KEPT'], remove_tags: ['old', 'never seen', 'new'] };
      const { body } = await bulk('update', { ids, ...change, set: { title: 'Both' } });
      expect(body.results).toEqual([
        {
          ...{ id: full.id, alias: full.alias, ...refused('validation_error') },
          ...{ index: 0, field: 'tags' },
        },
        { id: one.id, alias: one.alias, ...OK, index: 1, field: null },
        { id: bare.id, alias: bare.alias, ...OK, index: 2, field: null },
      ]);
      expect(await tagsOf()).toEqual([expect.any(Array), ['kept', 'New'], ['kept', 'New']]);
      const titles = await Promise.all(ids.map(async (id) => (await owner.show(id)).body.title));
      expect(titles).toEqual([null, 'Both', 'Both']);
      const filter = { tags: ['new'] };
      await bulk('update', { filter, expected: 2, remove_tags: ['New', 'kept'] });
      expect((await tagsOf()).slice(1)).toEqual([[], []]);
      await bulk('update', { ids, set: { tags: ['only'] } });
      expect(await tagsOf()).toEqual([['only'], ['only'], ['only']]);
      const { body: known } = await owner.call('get', '/api/v1/tags');
      const names = (known.tags as { name: string }[]).map(({ name }) => name);
      expect(names).not.toContain('never seen');
      const before = (await owner.update(one.id, {})).body.updated_at as number;
      const database = await databaseOf(service);
      const at = new Date(1_700_000_000_000);
      await database
        .collection('links')
        .updateMany({ alias: one.alias }, { $set: { updated_at: at } });
      await database.close();
      await bulk('update', { ids: [one.id], add_tags: ['ONLY'], remove_tags: ['New'] });
      const after = (await owner.update(one.id, {})).body.updated_at as number;
      expect([before > 1_700_000_000, after]).toEqual([true, 1_700_000_000]);
    });

    it('rejects a 1001st tag, and changes nothing', async () => {
      const tags = (from: number, count: number): string[] =>
        Array.from({ length: count }, (_, i) => `t${from + i}`);
      const items = Array.from({ length: 50 }, (_, i) => ({
        long_url: TARGET,
        tags: tags(i * 20, 20),
      }));
      const made = await bulk('create', { links: items });
      expect(made.body.summary.succeeded).toBe(50);
      const ids = [made.body.results[0].id as string];
      const one = ['t999', 'one more'];
      const added = await bulk('update', { ids, remove_tags: tags(0, 5), add_tags: one });
      expect([added.status, added.body.field]).toEqual([400, 'add_tags']);
      const set = await bulk('update', { ids, set: { tags: one, block_bots: true } });
      expect([set.status, set.body.field]).toEqual([400, 'set.tags']);
      expect((await owner.show(ids[0]!)).body).toMatchObject({ block_bots: false });
      const created = await bulk('create', {
        links: [{ long_url: TARGET, tags: one }, ...links(1)],
      });
      expect(created.body.results).toMatchObject([
        { ok: false, error_code: 'validation_error', field: 'tags' },
        { ok: true },
      ]);
    });

    it('includes earlier clicks in a first limit', async () => {
      const made = await some(2);
      for (const { alias } of made) await visit(service, alias);
      const ids = made.map(({ id }) => id);
      await bulk('update', { ids, set: { max_clicks: 1 } });
      for (const { alias } of made) expect(await statusOf(alias)).toBe(410);
    });

    it('keeps updated_at if nothing changes, except that a status always changes it', async () => {
      const { id } = await owner.aLink();
      const database = await databaseOf(service);
      const at = new Date(1_700_000_000_000);
      const stored = database.collection('links');
      await stored.updateMany({}, { $set: { created_at: at } });
      await bulk('update', { ids: [id], set: { block_bots: false, long_url: null } });
      expect((await owner.update(id, {})).body.updated_at).toBe(1_700_000_000);
      await bulk('status', { ids: [id], status: 'ACTIVE' });
      expect((await owner.update(id, {})).body.updated_at).toBeGreaterThan(1_700_000_000);
      await database.close();
    });
  });

  describe('filter', () => {
    beforeEach(makeOwner);

    it('finds the same links as a list, oldest first', async () => {
      const made = await some(3, { long_url: 'https://example.com/found' });
      const other = await owner.aLink();
      const filter = { search: 'found' };
      const set = { long_url: 'https://moved.test/found' };
      const { body } = await bulk('update', { filter, expected: 3, set });
      expect((body.results as MadeLink[]).map(({ id }) => id)).toEqual(made.map(({ id }) => id));
      expect((await owner.show(other.id)).body.long_url).toBe(TARGET);
      const all = await bulk('delete', { filter: {}, expected: 4 });
      expect(all.body.summary).toEqual({ total: 4, succeeded: 4, failed: 0 });
      const none = await bulk('delete', { filter: {}, expected: 0 });
      expect(none.body).toEqual({ summary: { total: 0, succeeded: 0, failed: 0 }, results: [] });
    });

    it('fails if the number of matches differs from the expected number, and deletes nothing', async () => {
      const made = await some(2);
      const added = await owner.aLink();
      const { status, body } = await bulk('delete', { filter: {}, expected: 2 });
      expect([status, body.code, body.details]).toEqual([409, 'conflict', { found: 3 }]);
      expect((await owner.list()).body.total).toBe(3);
      for (const { id } of [...made, added]) expect((await owner.show(id)).status).toBe(200);
    });

    it('rejects more than 1000 links', async () => {
      const bodies = Array.from({ length: 11 }, () => bulk('create', { links: links(91) }));
      await Promise.all(bodies);
      const filter = { status: 'ACTIVE' };
      const { status, body } = await bulk('delete', { filter, expected: 1001 });
      expect([status, body.field, body.details]).toEqual([400, 'filter', { found: 1001 }]);
      await bulk('delete', { ids: [(await owner.list()).body.items[0].id] });
      const deleted = await bulk('delete', { filter, expected: 1000 });
      expect(deleted.body.summary).toEqual({ total: 1000, succeeded: 1000, failed: 0 });
    });
  });

  describe('create', () => {
    beforeEach(makeOwner);

    it('has a separate result for each item, in the order of the request', async () => {
      const mine = await owner.aLink();
      const items = [
        { long_url: TARGET, alias: 'bulk-first' },
        { long_url: TARGET, alias: 'bulk-first' },
        { long_url: 'ftp://example.com/' },
        { url: 'https://example.com/made', max_clicks: 3, alias: 'a-name-of-more-than-16' },
        { long_url: TARGET, max_clicks: 0 },
        { long_url: TARGET, expires_at: 5 },
        { long_url: TARGET, alias: mine.alias },
        { alias: 'bulk-none', max_clicks: 'x' },
        { long_url: TARGET, alias: 'login' },
        { long_url: TARGET, expire_after: 1000 },
        {},
        { long_url: TARGET, alias_type: 'emoji' },
        { long_url: TARGET, tags: ['a', 'b,c'] },
        { long_url: TARGET, tags: ['Bulk'], title: ' T ', note: '=1' },
        { long_url: TARGET, alias: mine.alias, tags: ['left behind'] },
      ];
      const { status, body } = await bulk('create', { links: items });
      expect(status).toBe(200);
      expect(body.summary).toEqual({ total: 15, succeeded: 4, failed: 11 });
      const invalid = (index: number, field: string, alias: string | null = null): object => ({
        ...{ id: null, alias, ...refused('validation_error'), index, field, url: null },
      });
      const conflict = (index: number, alias: string): object => ({
        ...{ id: null, alias, ...refused('conflict'), index, field: 'alias', url: null },
      });
      const made = (index: number, alias: string): object => ({
        ...{
          id: expect.stringMatching(/^[0-9a-f]{24}$/) as string,
          alias,
          ...OK,
          index,
          field: null,
        },
        url: expect.objectContaining({
          alias,
          status: 'ACTIVE',
          owner_id: owner.account.userId,
        }) as object,
      });
      const cut = 'a-name-of-more-t';
      const emoji = body.results[11].alias as string;
      expect(body.results).toEqual([
        made(0, 'bulk-first'),
        conflict(1, 'bulk-first'),
        invalid(2, 'long_url'),
        made(3, cut),
        invalid(4, 'max_clicks'),
        invalid(5, 'expires_at'),
        conflict(6, mine.alias),
        invalid(7, 'long_url', 'bulk-none'),
        invalid(8, 'alias', 'login'),
        invalid(9, 'expire_after'),
        invalid(10, 'long_url'),
        made(11, emoji),
        invalid(12, 'tags.1'),
        made(13, body.results[13].alias as string),
        conflict(14, mine.alias),
      ]);
      const labels = { title: 'T', note: '=1', tags: ['Bulk'] };
      expect(body.results[13].url).toMatchObject(labels);
      const { body: known } = await owner.call('get', '/api/v1/tags');
      expect(known.tags).toMatchObject([{ name: 'Bulk' }]);
      expect(emoji).toMatch(/^\p{Extended_Pictographic}+$/u);
      expect(body.results[3].url).toMatchObject({
        id: body.results[3].id as string,
        short_url: expect.stringContaining(`/${cut}`) as string,
        long_url: 'https://example.com/made',
        hint: 'alias_cut',
      });
      const { location } = (await visit(service, cut)).headers;
      expect(location).toBe('https://example.com/made');
      expect((await owner.list()).body.total).toBe(5);
    });

    it('accepts ten passwords, and each opens its links', async () => {
      const password = (i: number): string => `secret${i}@`;
      const items = Array.from({ length: 20 }, (_, i) => ({
        ...{ long_url: TARGET, password: password(i % 10) },
      }));
      const { body } = await bulk('create', { links: items });
      expect(body.summary.succeeded).toBe(20);
      for (const i of [0, 9, 10]) {
        const { alias } = body.results[i] as MadeLink;
        const opened = await visit(service, alias, { 'X-Link-Password': password(i % 10) });
        const asked = await visit(service, alias);
        expect([opened.status, asked.status]).toEqual([302, 401]);
      }
      const eleven = [...items, { long_url: TARGET, password: password(10) }];
      const over = await bulk('create', { links: eleven });
      expect([over.status, over.body.field]).toEqual([422, 'links']);
      expect((await owner.list()).body.total).toBe(20);
    });

    it('accepts as many values as 100 complete items have, and at most 10,000', async () => {
      const item = { alias_type: 'alphanumeric', block_bots: true, private_stats: true };
      const whole = links(100, {
        ...item,
        max_clicks: 5,
        expire_after: inAnHour(),
        a: 1,
        b: 2,
        c: 3,
      });
      expect((await bulk('create', { links: whole })).body.summary.succeeded).toBe(100);
      const over = await bulk('create', {
        links: [{ long_url: TARGET, more: Array(10_000).fill(0) }],
      });
      expect([over.status, over.body.field]).toEqual([422, 'input']);
    });

    it('rejects an item with more values than the single route accepts, and creates the others', async () => {
      const large = { long_url: TARGET, more: Array(1000).fill(0) };
      const { body } = await bulk('create', { links: [...links(1), large, ...links(1)] });
      expect(body.summary).toEqual({ total: 3, succeeded: 2, failed: 1 });
      expect(body.results[1]).toMatchObject({ error_code: 'validation_error', field: 'input' });
    });
  });

  describe('reuse', () => {
    beforeEach(makeOwner);

    const long_url = 'https://example.com/reuse?a=1';
    const reuse = true;
    const shorten = (body: object) =>
      owner.call('post', '/api/v1/shorten', { long_url, reuse, ...body });

    it('returns the newest active link with the same values, unchanged', async () => {
      const first = await shorten({ tags: ['first'], title: 'First' });
      expect([first.status, first.body.reused]).toEqual([201, undefined]);
      const again = await shorten({ tags: ['second'], note: 'other' });
      expect(again.status).toBe(200);
      expect(again.body).toEqual({ ...first.body, reused: true });
      expect((await owner.call('get', '/api/v1/tags')).body.tags).toHaveLength(1);
      const newest = await owner.aLink({ long_url });
      expect((await shorten({})).body).toMatchObject({ id: newest.id, reused: true });
      const named = await shorten({ alias: first.body.alias as string });
      expect([named.status, named.body.id]).toEqual([200, first.body.id]);
      await owner.setStatus(newest.id, 'INACTIVE');
      expect((await shorten({})).body.id).toBe(first.body.id);
      await owner.update(first.body.id as string, { long_url: 'https://moved.test/' });
      expect((await shorten({ long_url: 'https://moved.test/' })).body.id).toBe(first.body.id);
      expect((await shorten({})).status).toBe(201);
    });

    it.each<[string, object]>([
      ['another destination', { long_url: 'https://example.com/reuse?a=2' }],
      ['a limit', { max_clicks: 5 }],
      ['an expiry', { expire_after: 4_102_444_800 }],
      ['block_bots', { block_bots: true }],
      ['open statistics', { private_stats: false }],
      ['another alias', { alias: 'reuse-other' }],
      ['a password', { password: 'secret1@' }],
      ['reuse: false', { reuse: false }],
    ])('creates a new link for %s, and for another account', async (_, difference) => {
      await owner.aLink({ long_url });
      await (await ApiClient.on(service)).aLink({ long_url, ...difference, alias: undefined });
      const first = { ...difference, alias: undefined };
      expect((await shorten(difference)).status).toBe(201);
      const second = await shorten(first);
      expect(second.status).toBe('password' in first || 'reuse' in first ? 201 : 200);
    });

    it('finds links of earlier items of a batch, but not of later items', async () => {
      const items = [
        { long_url, reuse },
        { long_url },
        { long_url, reuse },
        { long_url, alias: `r-${owner.account.userId.slice(-8)}` },
        { long_url, alias: `r-${owner.account.userId.slice(-8)}`, reuse },
        { long_url: 'https://example.com/', alias: `r-${owner.account.userId.slice(-8)}`, reuse },
        { long_url, reuse, max_clicks: 2 },
      ];
      const { body } = await bulk('create', { links: items });
      const rows = body.results as {
        id: string;
        error_code: string;
        url: { reused?: true } | null;
      }[];
      const ids = rows.map(({ id }) => id);
      expect(rows.map(({ url }) => url && (url.reused ?? false))).toEqual([
        false,
        false,
        true,
        false,
        true,
        null,
        false,
      ]);
      expect([ids[2], ids[4], rows[5]!.error_code]).toEqual([ids[1], ids[3], 'conflict']);
      expect((await owner.list()).body.total).toBe(4);
      const again = await bulk('create', { links: [{ long_url, reuse }] });
      expect(again.body.results[0]).toMatchObject({ id: ids[3], url: { reused: true } });
    });

    it('requires an account', async () => {
      const answer = await post(service, '/api/v1/shorten', { long_url, reuse });
      expect([answer.status, answer.body.field]).toEqual([401, 'reuse']);
      const plain = await post(service, '/api/v1/shorten', { long_url, reuse: false });
      expect(plain.status).toBe(201);
      expect((await shorten({ reuse: 'yes' })).body.field).toBe('reuse');
    });
  });

  it('has the same results in random batches as in single calls', async () => {
    await makeOwner();
    const batches = Number(process.env.BULK_BATCHES ?? 10);
    const random = new SeededRandom(Number(process.env.BULK_SEED ?? 20));
    const taken = new Map<string, string>();
    const aliasOf = (i: number): string => `rnd-${owner.account.userId.slice(-6)}-${i}`;
    let live: MadeLink[] = [];
    for (let batch = 0; batch < batches; batch++) {
      const items = Array.from({ length: 1 + random.below(20) }, () => {
        const bad = random.chance(0.2) ? random.of([{ max_clicks: 0 }, { long_url: 'x' }]) : {};
        const named = random.chance(0.6) ? { alias: aliasOf(random.below(40)) } : {};
        return { long_url: `https://example.com/${random.below(1000)}`, ...named, ...bad };
      });
      const made = (await bulk('create', { links: items })).body.results as (MadeLink & {
        error_code: string | null;
        index: number;
        url: MadeLink;
      })[];
      const expected = items.map((item) => {
        const { alias } = item as { alias?: string };
        if (item.long_url === 'x' || 'max_clicks' in item) return 'validation_error';
        if (alias === undefined) return null;
        if (taken.has(alias)) return 'conflict';
        taken.set(alias, '');
        return null;
      });
      expect(made.map(({ error_code }) => error_code)).toEqual(expected);
      expect(made.map(({ index }) => index)).toEqual(items.map((_, i) => i));
      for (const [i, row] of made.entries()) {
        if (row.error_code !== null) continue;
        expect(row.url.long_url).toBe(items[i]!.long_url);
        live.push(row.url);
      }
      const ids = Array.from({ length: 1 + random.below(12) }, () => {
        return random.chance(0.1) || live.length === 0 ? UNKNOWN : random.of(live).id;
      });
      const deleted = (await bulk('delete', { ids })).body.results as { id: string; ok: boolean }[];
      expect(deleted).toEqual(
        [...new Set(ids)].map((id) => {
          return expect.objectContaining({ id, ok: id !== UNKNOWN }) as object;
        }),
      );
      for (const { alias } of live.filter(({ id }) => ids.includes(id))) taken.delete(alias);
      live = live.filter(({ id }) => !ids.includes(id));
    }
    const order = { sortBy: 'created_at', sortOrder: 'ascending', pageSize: 100 };
    const { body } = await owner.list(order);
    expect(body.total).toBe(live.length);
    expect((body.items as MadeLink[]).map(({ id }) => id)).toEqual(
      live.slice(0, 100).map(({ id }) => id),
    );
  });

  describe('rejects', () => {
    beforeAll(makeOwner);

    const id = UNKNOWN;
    const ids = [id];
    const status = 'ACTIVE';
    const hundredAndOne = Array.from({ length: 101 }, () => id);
    const later = 4_102_444_800;
    const set = { block_bots: true };

    it.each<[route: string, body: unknown, status: number, field: string | undefined]>([
      ...(['create', 'update', 'status', 'expiry', 'delete'] as const).map(
        (route) => [route, [], 422, 'input'] as [string, unknown, number, string],
      ),
      ['create', {}, 422, 'links'],
      ['create', { links: [] }, 422, 'links'],
      ['create', { links: {} }, 422, 'links'],
      ['create', { links: links(101) }, 422, 'links'],
      ['create', { links: [...links(1), 'https://example.com/'] }, 422, 'links'],
      ['create', { links: [[]] }, 422, 'links'],
      ['create', { links: [null] }, 422, 'links'],
      ['create', { link: links(1) }, 422, 'link'],
      ['status', { ids: [], status }, 422, 'ids'],
      ['status', { status }, 422, 'ids'],
      ['status', { ids: id, status }, 422, 'ids'],
      ['status', { ids: hundredAndOne, status }, 422, 'ids'],
      ['status', { ids: [5], status }, 422, 'ids'],
      ['status', { ids: [null], status }, 422, 'ids'],
      ['status', { ids }, 422, 'status'],
      ['status', { ids, status: 'EXPIRED' }, 422, 'status'],
      ['status', { ids: [id, id, id, 'x'], status }, 400, 'ids.3'],
      ['status', { ids: [`${id}0`], status }, 400, 'ids.0'],
      ['expiry', { ids }, 422, 'expire_after'],
      ['expiry', { ids, expire_after: true }, 422, 'expire_after'],
      ['expiry', { ids, expire_after: '' }, 422, 'expire_after'],
      ['expiry', { ids, expire_after: 1.5 }, 422, 'expire_after'],
      ['expiry', { ids, expires_at: later }, 422, 'expires_at'],
      ['expiry', { ids, expire_after: 'soon' }, 400, 'expire_after'],
      ['expiry', { ids, expire_after: 1000 }, 400, 'expire_after'],
      ['expiry', { ids, expire_after: 253_402_300_800 }, 400, 'expire_after'],
      ['expiry', { ids: ['x'], expire_after: later }, 400, 'ids.0'],
      ['delete', {}, 422, 'ids'],
      ['delete', { ids: [] }, 422, 'ids'],
      ['delete', { ids: hundredAndOne }, 422, 'ids'],
      ['delete', { ids, filter: {}, expected: 0 }, 422, 'ids'],
      ['delete', { filter: {} }, 422, 'expected'],
      ['delete', { filter: {}, expected: -1 }, 422, 'expected'],
      ['delete', { filter: {}, expected: 1.5 }, 422, 'expected'],
      ['delete', { filter: {}, expected: '0' }, 422, 'expected'],
      ['delete', { filter: [], expected: 0 }, 422, 'filter'],
      ['delete', { filter: '{}', expected: 0 }, 422, 'filter'],
      ['delete', { filter: { status: 'OPEN' }, expected: 0 }, 422, 'filter'],
      ['delete', { filter: { passwordSet: 'yes' }, expected: 0 }, 422, 'filter'],
      ['delete', { filter: { q: 'x' }, expected: 0 }, 422, 'q'],
      ['delete', { filter: { createdAfter: 'soon' }, expected: 0 }, 400, 'filter'],
      ['update', { set }, 422, 'ids'],
      ['update', { ids, filter: {}, expected: 1, set }, 422, 'ids'],
      ['update', { ids }, 422, 'set'],
      ['update', { ids, set: null }, 422, 'set'],
      ['update', { ids, set: {} }, 422, 'set'],
      ['update', { ids, set: { long_url: null } }, 422, 'set'],
      ['update', { ids, set: [] }, 422, 'set'],
      ['update', { ids, set: { alias: 'abc' } }, 422, 'set.alias'],
      ['update', { ids, set: { password: null } }, 422, 'set.password'],
      ['update', { ids, set: { max_click: 5 } }, 422, 'set.max_click'],
      ['update', { ids, set: { max_clicks: -1 } }, 422, 'set.max_clicks'],
      ['update', { ids, set: { block_bots: 'yes' } }, 422, 'set.block_bots'],
      ['update', { ids, set: { status: 'EXPIRED' } }, 422, 'set.status'],
      ['update', { ids, set: { long_url: 'ftp://x.test' } }, 400, 'set.long_url'],
      ['update', { ids, set: { expire_after: 1000 } }, 400, 'set.expire_after'],
      ['update', { ids: ['x'], set }, 400, 'ids.0'],
      ['update', { ids, add_tags: [] }, 422, 'set'],
      ['update', { ids, add_tags: ['a,b'] }, 422, 'add_tags.0'],
      ['update', { ids, remove_tags: [5] }, 422, 'remove_tags.0'],
      [
        'update',
        { ids, add_tags: Array.from({ length: 21 }, (_, i) => `t${i}`) },
        422,
        'add_tags.20',
      ],
      ['update', { ids, add_tags: ['a'], set: { tags: ['b'] } }, 422, 'set.tags'],
      ['update', { ids, set: { utm: {} } }, 422, 'set.utm'],
      ['update', { ids, set: { title: '' } }, 422, 'set.title'],
      // Checks are in this order: types, ids, rules (docs/contract.md#2).
      ['update', { ids: ['x'], set: { max_clicks: -1 } }, 422, 'set.max_clicks'],
      ['update', { ids: ['x'], set: { long_url: 'x' } }, 400, 'ids.0'],
      ['expiry', { ids: ['x'], expire_after: 1000 }, 400, 'ids.0'],
    ])('%s %j with %i', async (route, body, code, field) => {
      const answer = await bulk(route, body);
      expect([answer.status, answer.body.field]).toEqual([code, field]);
    });

    it('callers without permission', async () => {
      const body = { ids, status, expire_after: null, links: links(1), set: {} };
      const unverified = await anAccount(service);
      const reader = await owner.withKey('urls:read');
      for (const route of ROUTES) {
        const path = `/api/v1/urls/bulk/${route}`;
        const anonymous = await post(service, path, body);
        const unsure = await post(service, path, body).set(bearer(unverified.accessToken));
        const read = await bulk(route, body, reader);
        const codes = [anonymous, unsure, read].map((answer) => answer.body.code as string);
        expect(codes).toEqual(['authentication_error', 'email_not_verified', 'forbidden']);
      }
    });
  });
});

describe('Limits of POST /api/v1/urls/bulk', () => {
  let service: Service;
  beforeAll(async () => {
    const file = join(mkdtempSync(join(tmpdir(), 'curtail-limits-')), 'limits.json');
    const authenticated = ['50/day'];
    writeFileSync(file, JSON.stringify({ 'links.create-items': { authenticated } }));
    service = await startService({ env: { LIMITS_FILE: file } });
  });
  afterAll(() => service.stop());

  it('count each request once, and either all items or none', async () => {
    const owner = await ApiClient.on(service);
    const create = (count: number) =>
      owner.call('post', '/api/v1/urls/bulk/create', { links: links(count) });
    const first = await create(40);
    expect(first.headers).toMatchObject({
      'x-ratelimit-limit': '30',
      'x-ratelimit-remaining': '29',
    });
    const over = await create(11);
    expect([over.status, over.body.code]).toEqual([429, 'rate_limit_exceeded']);
    expect(over.headers['x-ratelimit-remaining']).toBe('29');
    expect(Number(over.headers['retry-after'])).toBeGreaterThan(80_000);
    expect((await create(10)).body.summary.succeeded).toBe(10);
    expect((await owner.list()).body.total).toBe(50);
    await owner.aLink();
    const id = UNKNOWN;
    const expiry = { ids: [id], expire_after: null };
    const status = { ids: [id], status: 'ACTIVE' };
    const bulk = (route: string, body: object) =>
      owner.call('post', `/api/v1/urls/bulk/${route}`, body);
    await bulk('expiry', expiry);
    expect((await bulk('status', status)).headers['x-ratelimit-remaining']).toBe('58');
    expect((await bulk('delete', { ids: [id] })).headers['x-ratelimit-remaining']).toBe('29');
  });
});
