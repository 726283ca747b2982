import { aBlocklist } from '../../support/factories/blocklist';
import { databaseOf } from '../../support/database';
import { ApiClient } from '../../support/api-client';
import { limitsFile } from '../../support/limits';
import { shorten, visit } from '../../support/http';
import { startService, type Service } from '../../support/service';

const LIMITS = { 'links.create': 'off', 'links.update': 'off', 'links.resolve': 'off' };
const UNKNOWN = 'f'.repeat(24);
const A = 'https://example.com/a';
const B = 'https://example.com/b';
const IPHONE =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 17_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.1 Mobile/15E148 Safari/604.1';

const onPhones = { field: 'device', values: ['mobile'] };
const inGerman = { field: 'language', values: ['de'] };
const aRule = (changes: object = {}) => ({ when: [onPhones], to: A, ...changes });
const withCondition = (...when: unknown[]) => ({ rules: [aRule({ when })] });
const many = <T>(count: number, one: (i: number) => T): T[] =>
  Array.from({ length: count }, (_, i) => one(i));

describe('Rules, countries and variants of a link', () => {
  let service: Service;
  let owner: ApiClient;

  beforeAll(async () => {
    service = await startService({
      env: { BLOCKED_URLS_FILE: aBlocklist('evil'), LIMITS_FILE: limitsFile(LIMITS) },
    });
    owner = await ApiClient.on(service);
  });
  afterAll(() => service.stop());

  const locationOf = async (alias: string, headers: Record<string, string> = {}) =>
    (await visit(service, alias, headers)).headers.location;

  it('are returned with the link in every response, with their keys, or null if there are none', async () => {
    const rules = [
      aRule({ when: [{ field: 'os', values: ['iOS'], not: true }, onPhones], key: 'phones' }),
      aRule({ when: [{ field: 'time', from: '2030-01-01T00:00:00.5Z', to: null }], key: null }),
      aRule({ when: [{ field: 'query', name: 'a', values: null, from: null }] }),
    ];
    const body = { rules, geo_rules: { de: B }, ab_variants: [{ url: B, weight: 30, key: '9' }] };
    const answered = {
      rules: [
        { key: 'phones', when: [{ field: 'os', values: ['iOS'], not: true }, onPhones], to: A },
        { key: 'r1', when: [{ field: 'time', from: 1_893_456_000 }], to: A },
        { key: 'r2', when: [{ field: 'query', name: 'a' }], to: A },
      ],
      geo_rules: { DE: B },
      ab_variants: [{ key: '1', url: B, weight: 30 }],
    };
    const link = await owner.aLink(body);
    expect(link).toMatchObject(answered);
    expect((await owner.show(link.id)).body).toMatchObject(answered);
    expect((await owner.update(link.id, {})).body).toMatchObject(answered);
    // Sending the response back changes nothing.
    const again = await owner.update(link.id, answered);
    expect(again.body).toMatchObject({ ...answered, updated_at: link.created_at });
    const { body: list } = await owner.list({ pageSize: 1 });
    expect(list.items[0]).toMatchObject(answered);
    const none = { rules: null, geo_rules: null, ab_variants: null };
    expect(
      (await owner.update(link.id, { rules: [], geo_rules: {}, ab_variants: null })).body,
    ).toMatchObject(none);
    expect(await owner.aLink()).toMatchObject(none);
    expect(await owner.aLink({ rules: null, geo_rules: {}, ab_variants: [] })).toMatchObject(none);
  });

  it('keep their numbers through every change', async () => {
    const link = await owner.aLink({
      rules: [aRule(), aRule({ when: [inGerman] })],
      ab_variants: [
        { url: A, weight: 50 },
        { url: B, weight: 50 },
      ],
    });
    const keys = (body: { rules?: { key: string }[]; ab_variants?: { key: string }[] }) =>
      [body.rules, body.ab_variants].map((list) => list?.map(({ key }) => key));
    const changed = await owner.update(link.id, {
      rules: [aRule({ to: B })],
      ab_variants: [
        { url: B, weight: 60 },
        { url: 'https://example.com/c', weight: 1 },
      ],
    });
    expect(keys(changed.body)).toEqual([['r3'], ['2', '3']]);
    await owner.update(link.id, { rules: null, ab_variants: null });
    const back = await owner.update(link.id, {
      rules: [aRule()],
      ab_variants: [{ url: A, weight: 5 }],
    });
    expect(keys(back.body)).toEqual([['r4'], ['4']]);
  });

  it('never get the same number twice in concurrent changes', async () => {
    const link = await owner.aLink({ ab_variants: [{ url: A, weight: 1 }] });
    const changes = many(8, (i) =>
      owner.update(link.id, { ab_variants: [{ url: `${A}${i}`, weight: 1 }] }),
    );
    const given = (await Promise.all(changes)).map(({ status, body }) => {
      expect(status).toBe(200);
      return body.ab_variants[0].key as string;
    });
    expect(new Set(given).size).toBe(8);
  });

  it('can be set for many links, and each link has its own numbers', async () => {
    const [one, two] = [await owner.aLink({ rules: [aRule()] }), await owner.aLink()];
    const answer = await owner.call('post', '/api/v1/urls/bulk/update', {
      ids: [one.id, two.id],
      set: { rules: [aRule({ to: B })], ab_variants: [{ url: B, weight: 10 }] },
    });
    expect(answer.body.counts ?? answer.body).toBeDefined();
    const keyOf = async (id: string) => (await owner.show(id)).body.rules[0].key as string;
    expect([await keyOf(one.id), await keyOf(two.id)]).toEqual(['r2', 'r1']);
    const bad = await owner.call('post', '/api/v1/urls/bulk/update', {
      ids: [one.id],
      set: { rules: [aRule({ to: 'javascript:x' })] },
    });
    expect([bad.status, bad.body.field]).toEqual([400, 'set.rules.0.to']);
    const made = await owner.call('post', '/api/v1/urls/bulk/create', {
      links: [
        { long_url: A, geo_rules: { FR: B } },
        { long_url: A, geo_rules: { XX: B } },
      ],
    });
    expect(made.body.results).toMatchObject([
      { url: { geo_rules: { FR: B } } },
      { error_code: 'validation_error', field: 'geo_rules.XX' },
    ]);
  });

  it('are compared when a link is reused', async () => {
    const asked = {
      long_url: `${A}/reuse`,
      rules: [aRule()],
      ab_variants: [{ url: B, weight: 2 }],
    };
    const make = async (body: object): Promise<string> =>
      (await owner.call('post', '/api/v1/shorten', { ...body, reuse: true })).body.id as string;
    const first = await make(asked);
    await owner.update(first, { ab_variants: [{ url: A, weight: 1 }] });
    await owner.update(first, { ab_variants: [{ url: B, weight: 2 }] });
    expect(await make(asked)).toBe(first);
    expect(await make({ long_url: asked.long_url })).not.toBe(first);
    expect(await make({ ...asked, rules: [aRule({ to: B })] })).not.toBe(first);
    expect(await make({ ...asked, geo_rules: { DE: B } })).not.toBe(first);
  });

  it('are written to export files as JSON text', async () => {
    const link = await owner.aLink({ geo_rules: { DE: B } });
    const file = await owner.call('get', '/api/v1/urls/export?format=json');
    const item = (file.body.links as { id: string }[]).find(({ id }) => id === link.id);
    expect(item).toMatchObject({ geo_rules: { DE: B }, rules: null });
    const csv = await owner.call('get', '/api/v1/urls/export?format=csv').buffer(true);
    expect(csv.text).toContain(`"{""DE"":""${B}""}"`);
  });

  it.each<[string, number, string, object]>([
    [
      'an unknown condition',
      422,
      'rules.0.when.0.field',
      withCondition({ field: 'moon', values: ['x'] }),
    ],
    [
      'an unknown device',
      422,
      'rules.0.when.0.values.1',
      withCondition({ field: 'device', values: ['mobile', 'tv'] }),
    ],
    ['no condition', 422, 'rules.0.when', withCondition()],
    ['no when', 422, 'rules.0.when', { rules: [{ to: A }] }],
    ['no values', 422, 'rules.0.when.0.values', withCondition({ field: 'os', values: [] })],
    ['values that are missing', 422, 'rules.0.when.0.values', withCondition({ field: 'os' })],
    [
      '21 values',
      422,
      'rules.0.when.0.values',
      withCondition({ field: 'os', values: many(21, String) }),
    ],
    [
      'an empty value',
      422,
      'rules.0.when.0.values.0',
      withCondition({ field: 'os', values: [''] }),
    ],
    [
      'a value of 101 characters',
      422,
      'rules.0.when.0.values.0',
      withCondition({ field: 'query', name: 'a', values: ['x'.repeat(101)] }),
    ],
    ['six conditions', 422, 'rules.0.when', withCondition(...many(6, () => onPhones))],
    ['a condition that is none', 422, 'rules.0.when.0', withCondition([onPhones])],
    ['a rule that is none', 422, 'rules.0', { rules: [[aRule()]] }],
    ['21 rules', 422, 'rules', { rules: many(21, () => aRule()) }],
    ['rules that are no list', 422, 'rules', { rules: { a: aRule() } }],
    ['no address', 422, 'rules.0.to', { rules: [{ when: [onPhones] }] }],
    [
      'an address of 2049 characters',
      422,
      'rules.0.to',
      { rules: [aRule({ to: A.padEnd(2049, 'a') })] },
    ],
    [
      '`not` of another type',
      422,
      'rules.0.when.0.not',
      withCondition({ ...onPhones, not: 'yes' }),
    ],
    ['a key in upper case', 422, 'rules.0.key', { rules: [aRule({ key: 'R1' })] }],
    ['a key of digits', 422, 'rules.0.key', { rules: [aRule({ key: '12' })] }],
    ['the key geo', 422, 'rules.0.key', { rules: [aRule({ key: 'geo' })] }],
    ['a key of 21 characters', 422, 'rules.0.key', { rules: [aRule({ key: 'x'.repeat(21) })] }],
    [
      'a language by its name',
      422,
      'rules.0.when.0.values.0',
      withCondition({ field: 'language', values: ['german'] }),
    ],
    [
      'a language with an underscore',
      422,
      'rules.0.when.0.values.0',
      withCondition({ field: 'language', values: ['pt_BR'] }),
    ],
    [
      'weights over 100',
      422,
      'ab_variants',
      {
        ab_variants: [
          { url: A, weight: 51 },
          { url: B, weight: 50 },
        ],
      },
    ],
    ['weight 0', 422, 'ab_variants.0.weight', { ab_variants: [{ url: A, weight: 0 }] }],
    ['weight 1.5', 422, 'ab_variants.0.weight', { ab_variants: [{ url: A, weight: 1.5 }] }],
    ['no weight', 422, 'ab_variants.0.weight', { ab_variants: [{ url: A }] }],
    ['11 variants', 422, 'ab_variants', { ab_variants: many(11, () => ({ url: A, weight: 1 })) }],
    [
      '51 countries',
      422,
      'geo_rules',
      { geo_rules: Object.fromEntries(many(51, (i) => [`A${i}`, A])) },
    ],
    ['countries in a list', 422, 'geo_rules', { geo_rules: [A] }],
    ['a country without an address', 422, 'geo_rules.DE', { geo_rules: { DE: '' } }],
    [
      'an odd country with another type',
      422,
      'geo_rules.a,b:\ufffd',
      { geo_rules: { 'a,b:\ud800': 1 } },
    ],
    ['two equal keys', 400, 'rules.1.key', { rules: [aRule({ key: 'a' }), aRule({ key: 'a' })] }],
    [
      'from that is to',
      400,
      'rules.0.when.0.to',
      withCondition({ field: 'time', from: 1_893_456_000, to: 1_893_456_000 }),
    ],
    ['neither from nor to', 400, 'rules.0.when.0.from', withCondition({ field: 'time' })],
    [
      'an unreadable time',
      400,
      'rules.0.when.0.from',
      withCondition({ field: 'time', from: 'noon' }),
    ],
    [
      'query without name',
      400,
      'rules.0.when.0.name',
      withCondition({ field: 'query', values: ['a'] }),
    ],
    ['an unknown country', 400, 'geo_rules.ZZ', { geo_rules: { ZZ: A } }],
    [
      'an unknown country of a condition',
      400,
      'rules.0.when.0.values.1',
      withCondition({ field: 'country', values: ['DE', 'EU'] }),
    ],
    ['one country twice', 400, 'geo_rules.de', { geo_rules: { DE: A, de: B } }],
    [
      'an address on the block list',
      400,
      'geo_rules.DE',
      { geo_rules: { DE: 'https://evil.test/' } },
    ],
    [
      'a variant on the block list',
      400,
      'ab_variants.1.url',
      {
        ab_variants: [
          { url: A, weight: 1 },
          { url: 'https://evil.test/', weight: 1 },
        ],
      },
    ],
    ['a loop', 400, 'rules.0.to', { rules: [aRule({ to: 'LOOP' })] }],
    [
      'javascript',
      400,
      'ab_variants.0.url',
      { ab_variants: [{ url: 'javascript:alert(1)', weight: 1 }] },
    ],
    ['another scheme without a system', 400, 'rules.0.to', { rules: [aRule({ to: 'myapp://x' })] }],
  ])('are rejected for %s', async (_, status, field, body) => {
    const own = service.url.replace('127.0.0.1', 'localhost');
    const sent = JSON.parse(JSON.stringify(body).replace('LOOP', `${own}/x`)) as object;
    const answer = await owner.call('post', '/api/v1/shorten', { long_url: A, ...sent });
    expect([answer.status, answer.body.field ?? answer.body.details]).toEqual([status, field]);
    const link = await owner.aLink();
    const change = await owner.update(link.id, sent);
    expect([change.status, change.body.field]).toEqual([status, field]);
  });

  describe('with an app link', () => {
    const toApp = (to: string, values = ['iOS', 'android'], more: object = {}) => ({
      rules: [aRule({ when: [inGerman, { field: 'os', values, ...more }], to })],
    });

    it.each([
      'myapp://open/ä?x=1',
      'intent://open#Intent;scheme=myapp;S.browser_fallback_url=https%3A%2F%2Fexample.com;end',
      'tel:123',
      'com.example.app://open',
    ])('accept %s for iOS and Android', async (to) => {
      const link = await owner.aLink(toApp(to));
      const location = await locationOf(link.alias, {
        'User-Agent': IPHONE,
        'Accept-Language': 'de',
      });
      expect(location).toBe(to.replace('ä', '%C3%A4'));
    });

    it.each<[string, object]>([
      ['for other systems, too', toApp('myapp://x', ['iOS', 'Windows'])],
      ['for all but phones', toApp('myapp://x', ['iOS'], { not: true })],
      ...[
        'javascript',
        'JavaScript',
        'data',
        'file',
        'blob',
        'filesystem',
        'vbscript',
        'about',
        'view-source',
        'ws',
        'wss',
        'ftp',
      ].map((scheme): [string, object] => [`with ${scheme}:`, toApp(`${scheme}:x`)]),
      ['with a space', toApp('myapp://a b')],
      ['with a line break', toApp('java\nscript:x')],
      ['with a control character ahead', toApp('\u0001javascript:x')],
      ['without a scheme', toApp('localhost:3000')],
      ['on the block list', toApp('myapp://evil')],
    ])('are rejected %s', async (_, body) => {
      const answer = await owner.call('post', '/api/v1/shorten', { long_url: A, ...body });
      expect([answer.status, answer.body.field]).toEqual([400, 'rules.0.to']);
    });
  });

  it('require an account', async () => {
    for (const [field, value] of Object.entries({
      rules: [aRule()],
      geo_rules: { DE: A },
      ab_variants: [{ url: A, weight: 1 }],
    })) {
      const refused = await shorten(service, { long_url: A, [field]: value });
      expect([refused.status, refused.body.field]).toEqual([401, field]);
    }
    const empty = { rules: [], geo_rules: {}, ab_variants: null };
    expect((await shorten(service, { long_url: A, ...empty })).status).toBe(201);
  });

  it('redirect to the new destination immediately after a change', async () => {
    const link = await owner.aLink({ rules: [aRule({ to: `${B}?$x` })] });
    const phone = { 'User-Agent': IPHONE };
    expect(await locationOf(link.alias, phone)).toBe(`${B}?$x`);
    expect(await locationOf(link.alias)).toBe('https://example.com/target');
    await owner.update(link.id, { rules: null, ab_variants: [{ url: A, weight: 100 }] });
    expect(await locationOf(link.alias, phone)).toBe(A);
    await owner.update(link.id, { ab_variants: null });
    expect(await locationOf(link.alias, phone)).toBe('https://example.com/target');
  });

  it('also apply to links with a limit or a password', async () => {
    const link = await owner.aLink({
      rules: [aRule()],
      max_clicks: 2,
      password: 'tulips@2030',
      forward_query: true,
    });
    const phone = { 'User-Agent': IPHONE, 'X-Link-Password': 'tulips@2030' };
    expect(await locationOf(`${link.alias}?x=1`, phone)).toBe(`${A}?x=1`);
    const form = await owner
      .call('post', `/${link.alias}/password`)
      .redirects(0)
      .type('form')
      .set('User-Agent', IPHONE)
      .send({ password: 'tulips@2030' });
    expect([form.status, form.headers.location]).toEqual([303, A]);
  });

  describe('POST /api/v1/urls/{url_id}/resolve', () => {
    const resolve = (id: string, body: object = {}) =>
      owner.call('post', `/api/v1/urls/${id}/resolve`, body);

    it('returns the destination of a visit and the reason for it', async () => {
      const { id } = await owner.aLink({
        rules: [
          aRule({ when: [{ field: 'time', from: '2031-01-01' }], key: 'later' }),
          aRule({ when: [onPhones, inGerman, { field: 'query', name: 'ü' }] }),
        ],
        geo_rules: { FR: 'https://bücher.example/' },
        forward_query: true,
        max_clicks: 1,
      });
      const german = { user_agent: IPHONE, language: 'de-CH', query: '%C3%BC=1', country: 'fr' };
      const answers = [
        [german, 'rule', 'r1', `${A}?%C3%BC=1`],
        [{ ...german, language: 'fr' }, 'geo', 'geo', 'https://xn--bcher-kva.example/?%C3%BC=1'],
        [{ at: '2031-01-01T00:00:00Z' }, 'rule', 'later', A],
        [{}, 'default', null, 'https://example.com/target'],
        [{ user_agent: null, at: null }, 'default', null, 'https://example.com/target'],
      ] as const;
      for (const [body, by, key, location] of answers) {
        const { status, body: answer } = await resolve(id, body);
        expect([status, answer]).toEqual([200, { by, key, location }]);
      }
    });

    it('splits visitors by any text, always with the same result', async () => {
      const { id } = await owner.aLink({ ab_variants: [{ url: B, weight: 50 }] });
      const keys = await Promise.all(
        many(
          30,
          async (i) => (await resolve(id, { visitor: `v${i % 15}` })).body.key as string | null,
        ),
      );
      expect(keys.slice(15)).toEqual(keys.slice(0, 15));
      expect(new Set(keys)).toEqual(new Set(['1', null]));
    });

    it('reports closed links', async () => {
      const soon = Math.floor(Date.now() / 1000) + 3600;
      const timed = await owner.aLink({
        starts_at: soon,
        pre_start_url: A,
        expire_after: soon + 10,
        rules: [aRule()],
      });
      const at = async (time?: number) => (await resolve(timed.id, { at: time })).body as object;
      expect(await at()).toEqual({ by: 'scheduled', key: null, location: A });
      expect(await at(soon)).toMatchObject({ by: 'default' });
      expect(await at(soon + 10)).toEqual({ by: 'expired', key: null, location: null });
      await owner.update(timed.id, { expired_redirect_url: B, pre_start_url: null });
      expect(await at(soon + 10)).toEqual({ by: 'expired', key: null, location: B });
      expect(await at()).toEqual({ by: 'scheduled', key: null, location: null });
      await owner.setStatus(timed.id, 'INACTIVE');
      expect(await at(soon)).toEqual({ by: 'closed', key: null, location: null });
      const used = await owner.aLink({ max_clicks: 1, expired_redirect_url: B });
      await visit(service, used.alias);
      expect((await resolve(used.id)).body).toMatchObject({ by: 'expired', location: B });
    });

    it('tests unsaved changes, and stores none of them', async () => {
      const soon = Math.floor(Date.now() / 1000) + 3600;
      const { id } = await owner.aLink({ rules: [aRule()] });
      const { body: before } = await owner.show(id);
      const drafts = [
        [{ long_url: B }, { by: 'default', key: null, location: B }],
        [{ long_url: null }, { by: 'default', key: null, location: 'https://example.com/target' }],
        [{ rules: [aRule({ when: [inGerman], to: B })] }, { by: 'rule', key: 'r2', location: B }],
        [{ geo_rules: { FR: B } }, { by: 'geo', key: 'geo', location: B }],
        [
          { ab_variants: [{ url: B, weight: 99 }], forward_query: true },
          { location: expect.any(String) },
        ],
        [
          { starts_at: soon, pre_start_url: A },
          { by: 'scheduled', key: null, location: A },
        ],
        [{ status: 'INACTIVE' }, { by: 'closed', key: null, location: null }],
      ] as const;
      for (const [draft, expected] of drafts) {
        const { body, status } = await resolve(id, { draft, language: 'de', country: 'FR' });
        expect([draft, status, body]).toMatchObject([draft, 200, expected]);
      }
      expect((await owner.show(id)).body).toEqual(before);
      const used = await owner.aLink({ max_clicks: 1 });
      await visit(service, used.alias);
      const raised = await resolve(used.id, { draft: { max_clicks: 2 } });
      expect(raised.body).toMatchObject({ by: 'default' });
    });

    it.each<[string, number, string, object]>([
      ['a draft of another type', 422, 'draft', { draft: 'x' }],
      ['a wrong type in a draft', 422, 'draft.max_clicks', { draft: { max_clicks: 'x' } }],
      [
        'a blocked destination in a draft',
        400,
        'draft.long_url',
        { draft: { long_url: 'https://evil.test/' } },
      ],
      ['a past start in a draft', 400, 'draft.starts_at', { draft: { starts_at: 1 } }],
      ['a misspelt name in a draft', 422, 'draft.expires_at', { draft: { expires_at: 1 } }],
      ['another type', 422, 'user_agent', { user_agent: 1 }],
      ['a text of 2049 characters', 422, 'visitor', { visitor: 'x'.repeat(2049) }],
      ['a time of another type', 422, 'at', { at: true }],
      ['an unknown country', 400, 'country', { country: 'XX' }],
      ['an unreadable time', 400, 'at', { at: 'noon' }],
    ])('rejects %s', async (_, status, field, body) => {
      const { id } = await owner.aLink();
      const answer = await resolve(id, body);
      expect([answer.status, answer.body.field]).toEqual([status, field]);
    });

    it('is available only to the owner of the link', async () => {
      const foreign = await (await ApiClient.on(service)).aLink();
      expect((await resolve(foreign.id)).status).toBe(403);
      expect((await resolve(UNKNOWN)).status).toBe(404);
      expect((await resolve('x')).status).toBe(400);
    });
  });

  it('leave links without them unchanged in the database', async () => {
    const link = await owner.aLink();
    await owner.update(link.id, { rules: [aRule()] });
    await owner.update(link.id, { rules: null });
    const [plain, before] = [await owner.aLink(), link].map(({ alias }) => alias);
    const database = await databaseOf(service);
    const fields = async (alias: string | undefined) =>
      Object.keys((await database.collection('links').findOne({ alias })) ?? {});
    const ours = ['rules', 'geo_rules', 'ab_variants', 'rule_seq', 'variant_seq', 'variants_gone'];
    const left = (await fields(before)).filter((name) => ours.includes(name));
    expect((await fields(plain)).filter((name) => ours.includes(name))).toEqual([]);
    expect(left.sort()).toEqual(['rule_seq', 'variants_gone']);
    await database.close();
  });
});
