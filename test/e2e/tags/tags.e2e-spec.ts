import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ApiClient } from '../../support/api-client';
import { shorten, visit } from '../../support/http';
import { type Service, startService } from '../../support/service';

interface Tag {
  id: string;
  name: string;
  color: string;
  links: number;
  created_at: number;
}

const UNKNOWN_ID = 'f'.repeat(24);

/** Two web processes: changes made by one must be visible in the other. */
describe('titles, notes and tags', () => {
  let service: Service;
  let owner: ApiClient;
  const folder = mkdtempSync(join(tmpdir(), 'curtail-tags-'));

  beforeAll(async () => {
    const limits = join(folder, 'limits.json');
    const rows = ['tags.list', 'tags.create', 'tags.update', 'tags.delete'];
    const links = ['links.create', 'links.list', 'links.update', 'links.read'];
    const off = Object.fromEntries([...rows, ...links].map((row) => [row, 'off']));
    writeFileSync(limits, JSON.stringify(off));
    service = await startService({ env: { LIMITS_FILE: limits, WEB_CONCURRENCY: '2' } });
  });
  beforeEach(async () => {
    owner = await ApiClient.on(service);
  });
  afterAll(async () => {
    await service.stop();
    rmSync(folder, { recursive: true });
  });

  const tags = async (query = ''): Promise<Tag[]> => {
    const { status, body } = await owner.call('get', `/api/v1/tags${query}`);
    expect(status).toBe(200);
    return (body as { tags: Tag[] }).tags;
  };
  const names = async (query = ''): Promise<string[]> =>
    (await tags(query)).map(({ name }) => name);
  const aTag = async (name: string, color?: string): Promise<Tag> => {
    const { status, body } = await owner.call('post', '/api/v1/tags', { name, color });
    expect(status).toBe(201);
    return body as Tag;
  };
  const found = async (filter: object, query = {}): Promise<string[]> => {
    const answer = await owner.list({ filter: JSON.stringify(filter), sortOrder: 'asc', ...query });
    expect(answer.status).toBe(200);
    return (answer.body.items as { alias: string }[]).map(({ alias }) => alias);
  };

  describe('of a link', () => {
    const LABELS = {
      title: 'Größe <b>=1+1</b>',
      note: 'first\n\tsecond\r\n"third"',
      tags: ['Newsletter', 'Spring Sale', 'été'],
    };

    it('are trimmed and returned in every response to the owner', async () => {
      const made = await owner.aLink({
        title: `  ${LABELS.title}\u00a0`,
        note: `\n${LABELS.note} `,
        tags: ['  Spring \u00a0  Sale ', 'e\u0301te\u0301', 'Newsletter', 'SPRING SALE', 'ÉTÉ'],
      });
      expect(made).toMatchObject(LABELS);
      const updated = await owner.update(made.id, {});
      expect(updated.body).toMatchObject({ ...LABELS, short_url: made.short_url });
      expect((await owner.setStatus(made.id, 'ACTIVE')).body).toMatchObject(LABELS);
      expect((await owner.show(made.id)).body).toMatchObject(LABELS);
      expect((await owner.list()).body.items).toMatchObject([LABELS]);
      await visit(service, made.alias);
      const plain = await owner.aLink();
      expect(plain).toMatchObject({ title: null, note: null, tags: [] });
      expect(await names()).toEqual(LABELS.tags);
    });

    it('change according to PATCH, and equal values change nothing', async () => {
      const { id, created_at } = await owner.aLink(LABELS);
      const same = { title: LABELS.title, note: LABELS.note, tags: [...LABELS.tags].reverse() };
      expect((await owner.update(id, same)).body).toMatchObject({
        ...LABELS,
        updated_at: created_at,
      });
      const patched = async (change: object): Promise<object> => {
        const { status, body } = await owner.update(id, change);
        expect(status).toBe(200);
        expect((await owner.show(id)).body).toMatchObject({
          ...{ title: body.title, note: body.note, tags: body.tags },
        });
        return body as object;
      };
      expect(await patched({ tags: ['newsletter', 'b'] })).toMatchObject({
        ...LABELS,
        tags: ['b', 'Newsletter'],
      });
      expect(await patched({ title: null })).toMatchObject({ title: null, note: LABELS.note });
      expect(await patched({ note: null })).toMatchObject({ note: null });
      expect(await patched({ tags: null })).toMatchObject({ tags: [] });
      expect(await patched({ tags: ['b'], title: 'x' })).toMatchObject({ tags: ['b'], title: 'x' });
      expect(await patched({ tags: [] })).toMatchObject({ tags: [], title: 'x' });
      expect(await names()).toEqual(['b', ...LABELS.tags]);
    });

    const tooMany = Array.from({ length: 21 }, (_, i) => `tag ${i}`);
    it.each<[string, object, string]>([
      ['a number as title', { title: 5 }, 'title'],
      ['a blank title', { title: ' ' }, 'title'],
      ['a line break in a title', { title: 'a\nb' }, 'title'],
      ['a title of 201', { title: '😀'.repeat(201) }, 'title'],
      ['a mark of direction', { title: '\u202egpj' }, 'title'],
      ['an empty note', { note: '' }, 'note'],
      ['a note of 2001', { note: 'x'.repeat(2001) }, 'note'],
      ['a control character in a note', { note: 'a\u0007b' }, 'note'],
      ['half a character in a note', { note: 'a\ud83db' }, 'note'],
      ['a text as tags', { tags: 'a,b' }, 'tags'],
      ['a number among tags', { tags: ['a', 5] }, 'tags.1'],
      ['an empty tag', { tags: ['a', 'b', ' '] }, 'tags.2'],
      ['a tag of 41', { tags: ['x'.repeat(41)] }, 'tags.0'],
      ['a tag with a comma', { tags: ['a', 'b', 'c', 'd,e'] }, 'tags.3'],
      ['a tag (None)', { tags: ['(None)'] }, 'tags.0'],
      ['a control character in a tag', { tags: ['a\u0000'] }, 'tags.0'],
      ['21 distinct tags', { tags: [...tooMany, 'TAG 0'] }, 'tags.20'],
      ['a slip', { label: 'x', titel: 'y' }, 'titel'],
      ['a synonym', { labels: ['x'] }, 'labels'],
    ])('reject %s, and create no tag', async (_, given, field) => {
      const body = { long_url: 'https://example.com', ...given };
      const link = await owner.aLink();
      for (const answer of [
        await owner.call('post', '/api/v1/shorten', body),
        await owner.update(link.id, given),
      ]) {
        expect(answer.status).toBe(422);
        expect(answer.body).toMatchObject({ code: 'validation_error', field });
      }
      expect(await names()).toEqual([]);
    });

    it('accept 20 distinct tags in several spellings, and texts of the maximum length', async () => {
      const twenty = Array.from({ length: 20 }, (_, i) => `${'😀'.repeat(38)}${i + 10}`);
      const given = { title: '😀'.repeat(200), note: '\t'.repeat(9) + '😀'.repeat(2000) };
      const link = await owner.aLink({ ...given, tags: [...twenty, ...twenty] });
      expect(link).toMatchObject({ title: given.title, note: given.note.trim() });
      expect((await owner.show(link.id)).body.tags).toHaveLength(20);
    });

    it('create no tag if the link is rejected for another reason', async () => {
      const { alias } = await owner.aLink();
      const link = await owner.aLink();
      const refused = [
        [{ alias }, 409],
        [{ alias: 'api' }, 400],
        [{ expire_after: 1 }, 400],
        [{ password: 'abcdefgh' }, 400],
        [{ long_url: 'https://localhost:99999' }, 400],
      ] as const;
      for (const [bad, status] of refused) {
        const body = { long_url: 'https://example.com', ...bad, tags: ['left'] };
        expect((await owner.call('post', '/api/v1/shorten', body)).status).toBe(status);
        expect((await owner.update(link.id, { ...bad, tags: ['left'] })).status).toBe(status);
      }
      expect((await owner.update(UNKNOWN_ID, { tags: ['left'] })).status).toBe(404);
      expect(await names()).toEqual([]);
    });

    it.each([['title'], ['note'], ['tags']])('require an account: %s', async (field) => {
      const value = field === 'tags' ? ['a'] : 'a';
      const ask = (given: unknown) =>
        shorten(service, { long_url: 'https://example.com', [field]: given });
      expect(await ask(value)).toMatchObject({
        status: 401,
        body: { code: 'authentication_error', field },
      });
      expect((await ask(null)).status).toBe(201);
      if (field === 'tags') expect((await ask([])).status).toBe(201);
    });

    it('are created once for concurrent requests', async () => {
      const made = await Promise.all(
        Array.from({ length: 10 }, (_, i) => owner.aLink({ tags: [i % 2 ? 'Rush' : 'RUSH', 'b'] })),
      );
      const all = await tags();
      expect(all).toMatchObject([
        { name: 'b', links: 10 },
        { name: expect.stringMatching(/^rush$/i), links: 10 },
      ]);
      const shown = (made[0] as unknown as { tags: string[] }).tags;
      expect(shown).toEqual(all.map(({ name }) => name));
    });
  });

  describe('of an account', () => {
    it('are created, listed, searched, sorted, renamed and deleted', async () => {
      const first = await aTag('  beta   Two ', 'pink');
      expect(first).toEqual({
        id: expect.stringMatching(/^[0-9a-f]{24}$/) as string,
        name: 'beta Two',
        color: 'pink',
        links: 0,
        imported_clicks: 0,
        created_at: expect.any(Number) as number,
      });
      await aTag('Alpha');
      const link = await owner.aLink({ tags: ['BETA two'], title: 'kept' });
      await owner.aLink({ tags: ['beta two'], alias: 'other-of-it' });
      expect(await names()).toEqual(['Alpha', 'beta Two']);
      expect(await names('?sortBy=links')).toEqual(['beta Two', 'Alpha']);
      expect(await names('?search=A%20TW')).toEqual(['beta Two']);
      expect(await names('?search=nothing')).toEqual([]);
      expect((await tags('?search=beta'))[0]?.links).toBe(2);

      const path = `/api/v1/tags/${first.id}`;
      const rename = await owner.call('patch', path, { name: 'Gamma' });
      expect(rename.body).toEqual({ ...first, name: 'Gamma', links: 2 });
      for (let i = 0; i < 6; i++) {
        expect((await owner.show(link.id)).body).toMatchObject({ tags: ['Gamma'], title: 'kept' });
        expect(await found({ tags: ['gamma'] })).toHaveLength(2);
        expect(await found({ tags: ['beta two'] })).toEqual([]);
        expect(await found({ search: 'gamm' })).toHaveLength(2);
      }
      const respelled = await owner.call('patch', path, { name: 'GAMMA', color: null });
      expect(respelled.body).toMatchObject({ name: 'GAMMA', color: 'pink' });
      expect((await owner.call('patch', path, { color: 'teal', name: null })).body).toMatchObject({
        name: 'GAMMA',
        color: 'teal',
      });
      expect((await owner.call('patch', path, {})).status).toBe(200);
      expect((await owner.update(link.id, {})).body.updated_at).toBe(link.created_at);

      const deleted = await owner.call('delete', path);
      expect([deleted.status, deleted.body]).toEqual([
        200,
        { message: 'Tag deleted', id: first.id },
      ]);
      for (let i = 0; i < 6; i++) {
        expect((await owner.show(link.id)).body).toMatchObject({ tags: [], title: 'kept' });
        expect(await found({ untagged: true })).toEqual([link.alias, 'other-of-it']);
      }
      expect((await owner.update(link.id, {})).body.updated_at).toBe(link.created_at);
      expect(await names()).toEqual(['Alpha']);
      // After a tag is deleted, a link can get a new tag with the same name.
      await owner.update(link.id, { tags: ['gamma'] });
      expect((await tags('?search=gamma'))[0]?.id).not.toBe(first.id);
    });

    it('are distinguished by case-insensitive names, separately for each account', async () => {
      const { id } = await aTag('Straße');
      const other = await aTag('Weg');
      const taken = { status: 409, body: { code: 'conflict', field: 'name' } };
      expect(await owner.call('post', '/api/v1/tags', { name: 'straße' })).toMatchObject(taken);
      const path = `/api/v1/tags/${other.id}`;
      expect(await owner.call('patch', path, { name: ' STRAßE' })).toMatchObject(taken);
      const stranger = await ApiClient.on(service);
      expect((await stranger.call('get', '/api/v1/tags')).body).toEqual({ tags: [] });
      expect((await stranger.call('post', '/api/v1/tags', { name: 'Straße' })).status).toBe(201);
      const answers = await Promise.all(
        (['patch', 'delete'] as const).flatMap((method) =>
          [id, UNKNOWN_ID].map((one) => stranger.call(method, `/api/v1/tags/${one}`, {})),
        ),
      );
      const seen = answers.map(({ status, body }) => [status, body.error, body.code]);
      expect(new Set(seen.map((one) => JSON.stringify(one))).size).toBe(1);
      expect(seen[0]?.[0]).toBe(404);
      expect((await owner.call('delete', '/api/v1/tags/nonsense')).status).toBe(400);
    });

    it.each<['post' | 'patch', object, string]>([
      ['post', {}, 'name'],
      ['post', { name: 'a', colour: 'red' }, 'colour'],
      ['patch', { name: 'a,b' }, 'name'],
    ])('are rejected: %s %j', async (method, body, field) => {
      const { id } = await aTag('there');
      const path = method === 'post' ? '/api/v1/tags' : `/api/v1/tags/${id}`;
      const answer = await owner.call(method, path, body);
      expect(answer).toMatchObject({ status: 422, body: { field } });
    });

    it.each([
      ['?sortBy=color', 'sortBy'],
      [`?search=${'x'.repeat(101)}`, 'search'],
    ])('cannot be listed by %s', async (query, field) => {
      const answer = await owner.call('get', `/api/v1/tags${query}`);
      expect(answer).toMatchObject({ status: 422, body: { field } });
    });

    it('require urls:read for reading, and urls:manage for changes', async () => {
      const { id } = await aTag('a');
      const calls = (client: ApiClient) => [
        client.call('post', '/api/v1/tags', { name: 'b' }),
        client.call('patch', `/api/v1/tags/${id}`, {}),
        client.call('delete', `/api/v1/tags/${id}`),
      ];
      const reader = await owner.withKey('urls:read');
      expect((await reader.call('get', '/api/v1/tags')).status).toBe(200);
      for (const call of calls(reader)) expect((await call).status).toBe(403);
      const manager = await owner.withKey('urls:manage');
      expect((await manager.call('get', '/api/v1/tags')).status).toBe(403);
      const statuses = [];
      for (const call of calls(manager)) statuses.push((await call).status);
      expect(statuses).toEqual([201, 200, 200]);
      // Permission to write links includes permission to create tags.
      const maker = await owner.withKey('shorten:create');
      expect((await maker.aLink({ tags: ['by key'] })).alias).toBeDefined();
      expect(await names()).toEqual(['b', 'by key']);
    });

    it('are limited to 1000', async () => {
      for (let i = 0; i < 50; i++) {
        await owner.aLink({ tags: Array.from({ length: 20 }, (_, n) => `tag ${i * 20 + n}`) });
      }
      const refused = { status: 400, body: { code: 'validation_error' } };
      const body = { long_url: 'https://example.com', tags: ['one more', 'tag 1'] };
      expect(await owner.call('post', '/api/v1/shorten', body)).toMatchObject({
        ...refused,
        body: { field: 'tags' },
      });
      expect(await owner.call('post', '/api/v1/tags', { name: 'one more' })).toMatchObject({
        ...refused,
        body: { field: 'name' },
      });
      const all = await tags();
      expect(all).toHaveLength(1000);
      await owner.call('delete', `/api/v1/tags/${all[0]?.id}`);
      const asked = Array.from({ length: 6 }, (_, i) =>
        owner.call('post', '/api/v1/tags', { name: `last ${i}` }),
      );
      await Promise.all(asked);
      expect((await tags()).length).toBeLessThanOrEqual(1000);
    });
  });

  describe('in lists', () => {
    const LINKS = [
      { alias: 'one', tags: ['a', 'b'], title: 'Zebra', note: 'secret word' },
      { alias: 'two', tags: ['B', 'c'], title: 'apple', expire_after: 4_000_000_000 },
      { alias: 'three', tags: ['c'], expire_after: 3_900_000_000 },
      { alias: 'four', note: `${'😀'.repeat(200)} beyond` },
    ];
    let prefix: string;
    let inOrder: (aliases: string[]) => string[];
    const ids = new Map<string, string>();
    /** Links with equal values are sorted by id, which is not their creation order. */
    const byId = (...aliases: string[]): string[] =>
      aliases.sort((a, b) => ((ids.get(a) ?? '') < (ids.get(b) ?? '') ? -1 : 1));

    beforeEach(async () => {
      prefix = `x${owner.account.userId.slice(-6)}`;
      inOrder = (aliases) => aliases.map((alias) => `${prefix}-${alias}`);
      for (const link of LINKS) {
        const { id } = await owner.aLink({ ...link, alias: `${prefix}-${link.alias}` });
        ids.set(link.alias, id);
      }
    });

    it('filter and search links', async () => {
      const cases: [object, string[]][] = [
        [{ tags: ['A', ' c '] }, ['one', 'two', 'three']],
        [{ tags: ['a', 'b'], tagsMode: 'all' }, ['one']],
        [{ tags: ['a', 'unknown'] }, ['one']],
        [{ tags: ['a', 'unknown'], tagsMode: 'all' }, []],
        [{ tags: ['x,y'] }, []],
        [{ tags: ['x'.repeat(41)] }, []],
        [{ tags: [], tagsMode: 'all' }, ['one', 'two', 'three', 'four']],
        [{ tagsMode: 'all' }, ['one', 'two', 'three', 'four']],
        [{ excludeTags: ['B', 'unknown'] }, ['three', 'four']],
        [{ tags: ['c'], excludeTags: ['b'] }, ['three']],
        [{ untagged: true }, ['four']],
        [{ untagged: false }, ['one', 'two', 'three']],
        [{ source: 'bitly' }, []],
        [{ search: 'ZEB' }, ['one']],
        [{ search: 'word zebra' }, ['one']],
        [{ search: 'word apple' }, []],
        [{ search: 'apple c' }, ['two']],
        [{ search: 'beyond' }, []],
        [{ search: '😀' }, ['four']],
        [{ search: `http://localhost:${service.port}/${prefix}-two+?x=1` }, ['two']],
        [{ search: `localhost:${service.port}/${prefix}-two/ apple` }, ['two']],
      ];
      for (const [filter, expected] of cases) {
        expect([filter, await found(filter)]).toEqual([filter, inOrder(expected)]);
      }
    });

    it('sort by title, alias and expiry, with empty values last in both directions', async () => {
      const cases: [string, string, string[]][] = [
        ['title', 'ascending', ['two', 'one', ...byId('three', 'four')]],
        ['title', 'descending', ['one', 'two', ...byId('three', 'four').reverse()]],
        ['alias', 'ascending', ['four', 'one', 'three', 'two']],
        ['alias', 'descending', ['two', 'three', 'one', 'four']],
        ['expire_after', 'ascending', ['three', 'two', ...byId('one', 'four')]],
        ['expire_after', 'descending', ['two', 'three', ...byId('one', 'four').reverse()]],
      ];
      for (const [sortBy, sortOrder, expected] of cases) {
        expect([sortBy, sortOrder, await found({}, { sortBy, sortOrder })]).toEqual([
          sortBy,
          sortOrder,
          inOrder(expected),
        ]);
      }
    });

    it('add up the clicks of all matching links, on all pages, on request', async () => {
      const sums = async (query: object): Promise<unknown> => {
        const answer = await owner.list({ pageSize: 1, ...query });
        expect(answer.status).toBe(200);
        return (answer.body as { total_clicks?: number }).total_clicks;
      };
      expect(await sums({ sums: 'true' })).toBe(0);
      expect(await sums({ sums: 'true', filter: '{"tags":["c"]}' })).toBe(0);
      expect(await sums({ sums: 'false' })).toBeUndefined();
      expect(await sums({})).toBeUndefined();
    });

    it.each([
      { tags: 'a' },
      { tags: ['a', 5] },
      { tags: Array.from({ length: 21 }, (_, i) => `${i}`) },
      { tagsMode: 'some' },
      { excludeTags: 'a' },
      { untagged: 'true' },
      { source: 5 },
      { source: 'x'.repeat(101) },
      { taggs: ['a'] },
    ])('reject the filter %j', async (filter) => {
      const answer = await owner.list({ filter: JSON.stringify(filter) });
      const field = 'taggs' in filter ? 'taggs' : 'filter';
      expect(answer).toMatchObject({ status: 422, body: { field } });
    });

    it('reject other values for sums, and filter keys outside the filter', async () => {
      expect(await owner.list({ sums: 'yes' })).toMatchObject({
        status: 422,
        body: { field: 'sums' },
      });
      expect(await owner.list({ tags: 'a' })).toMatchObject({
        status: 422,
        body: { field: 'tags' },
      });
    });
  });
});
