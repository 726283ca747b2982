import { randomBytes } from 'node:crypto';
import request from 'supertest';
import { hashLinkPassword } from '../../src/links/link-password';
import { anAddress } from '../support/client';
import { aKey, aSession, type Session, StatisticsWorld } from './statistics-world';

let world: StatisticsWorld;
let user: Session;
let other: Session;
beforeAll(async () => {
  world = await StatisticsWorld.open();
});
afterAll(() => world.close());
beforeEach(() => {
  user = aSession();
  other = aSession();
});

const STATS = '/api/v1/stats';
const EXPORT = '/api/v1/export';
const json = { format: 'json' };
const statusOf = async (path: string, query: object, who?: Session): Promise<number> =>
  (await world.get(path, { ...json, ...query }, who)).status;

describe('Access to statistics and exports of accounts', () => {
  it('scope=all needs a credential', async () => {
    expect(await statusOf(STATS, { scope: 'all' })).toBe(401);
    expect(await statusOf(EXPORT, { scope: 'all' })).toBe(401);
    expect(await statusOf(STATS, { scope: 'all' }, user)).toBe(200);
    expect(await statusOf(EXPORT, { scope: 'all' }, user)).toBe(200);
  });

  it('looks at the shape before the credential on /stats, after it on /export', async () => {
    expect(await statusOf(STATS, { scope: 'x' })).toBe(422);
    expect(await statusOf(EXPORT, { scope: 'x' })).toBe(401);
    const bad = { ...user, token: 'no.such.token' };
    expect(await statusOf(STATS, { scope: 'x' }, bad)).toBe(422);
    expect(await statusOf(STATS, { scope: 'all' }, bad)).toBe(401);
  });

  it('scope=anon shows public statistics to everybody, files to those signed in', async () => {
    const short_code = await world.link({ owner: user.id });
    expect(await statusOf(STATS, { scope: 'anon', short_code })).toBe(200);
    expect(await statusOf(STATS, { scope: 'anon', short_code }, other)).toBe(200);
    expect(await statusOf(EXPORT, { scope: 'anon', short_code })).toBe(401);
    expect(await statusOf(EXPORT, { scope: 'anon', short_code }, other)).toBe(200);
    const bad = { ...user, token: 'no.such.token' };
    expect(await statusOf(STATS, { scope: 'anon', short_code }, bad)).toBe(401);
  });

  it('scope=anon of an unknown code is 404', async () => {
    expect(await statusOf(STATS, { scope: 'anon', short_code: 'none-such' })).toBe(404);
    expect(await statusOf(EXPORT, { scope: 'anon', short_code: 'none-such' }, user)).toBe(404);
  });

  it('scope=anon of private statistics: nobody 401, another account 403, the owner 200', async () => {
    const short_code = await world.link({ owner: user.id, private_stats: true });
    expect(await statusOf(STATS, { scope: 'anon', short_code })).toBe(401);
    for (const path of [STATS, EXPORT]) {
      expect(await statusOf(path, { scope: 'anon', short_code }, other)).toBe(403);
      expect(await statusOf(path, { scope: 'anon', short_code }, user)).toBe(200);
    }
  });

  it('scope=all of one code: own 200, foreign and ownerless 403, unknown 404', async () => {
    const own = await world.link({ owner: user.id });
    const foreign = await world.link({ owner: other.id });
    const ownerless = await world.link();
    for (const path of [STATS, EXPORT]) {
      expect(await statusOf(path, { scope: 'all', short_code: own }, user)).toBe(200);
      expect(await statusOf(path, { scope: 'all', short_code: foreign }, user)).toBe(403);
      expect(await statusOf(path, { scope: 'all', short_code: ownerless }, user)).toBe(403);
      expect(await statusOf(path, { scope: 'all', short_code: 'none-such' }, user)).toBe(404);
    }
  });

  it('an unverified email is 403', async () => {
    const unverified = aSession({ email_verified: false });
    for (const path of [STATS, EXPORT]) {
      const { status, body } = await world.get(path, { ...json, scope: 'all' }, unverified);
      expect({ status, code: (body as { code: string }).code }).toEqual({
        status: 403,
        code: 'email_not_verified',
      });
    }
  });

  it('a key needs one of the scopes', async () => {
    const id = await world.link({ owner: user.id });
    const paths = [STATS, EXPORT, `${STATS}/links/${id}`, `${EXPORT}/links/${id}`];
    for (const scope of ['stats:read', 'urls:read', 'admin:all']) {
      const key = { id: user.id, token: await aKey(world, user, [scope]) };
      for (const path of paths) expect(await statusOf(path, { scope: 'all' }, key)).toBe(200);
    }
    const key = { id: user.id, token: await aKey(world, user, ['shorten:create', 'urls:manage']) };
    for (const path of paths) expect(await statusOf(path, { scope: 'all' }, key)).toBe(403);
    const anon = { scope: 'anon', short_code: id };
    expect(await statusOf(STATS, anon, key)).toBe(403);
  });
});

describe('Access to statistics and exports of one link', () => {
  it.each([STATS, EXPORT])('%s/links: foreign and unknown are the same 404', async (path) => {
    const foreign = await world.link({ owner: other.id });
    const ownerless = await world.link();
    const unknown = randomBytes(12).toString('hex');
    expect(await statusOf(`${path}/links/${foreign}`, {})).toBe(401);
    const bodies = [];
    for (const id of [foreign, ownerless, unknown]) {
      const answer = await world.get(`${path}/links/${id}`, json, user);
      expect(answer.status).toBe(404);
      bodies.push(answer.text);
    }
    expect(new Set(bodies).size).toBe(1);
    const own = await world.link({ owner: user.id });
    expect(await statusOf(`${path}/links/${own.toUpperCase()}`, {}, user)).toBe(200);
  });
});

describe('Public statistics', () => {
  const PATH = '/api/v1/public/stats';

  it('show a public link to everybody', async () => {
    const alias = await world.link({ owner: user.id, generation: 'v1', max_clicks: 5 });
    const { status, body } = await world.get(`${PATH}/${alias}`);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      generation: 'v1',
      link: {
        alias,
        short_url: `http://localhost:${world.service.port}/${alias}`,
        long_url: 'https://example.com/',
        status: 'active',
        max_clicks: 5,
        block_bots: false,
        password_protected: false,
      },
      stats: {
        scope: 'anon',
        short_code: alias,
        group_by: ['time', 'browser', 'os', 'device', 'country', 'city', 'referrer'],
        summary: { total_clicks: 0, first_click: null, avg_redirection_time: null },
        computed_metrics: null,
      },
    });
  });

  it('answer private and unknown alike, except to the owner', async () => {
    const alias = await world.link({ owner: user.id, private_stats: true });
    const hidden = await world.get(`${PATH}/${alias}`);
    const unknown = await world.get(`${PATH}/none-such`);
    expect([hidden.status, unknown.status]).toEqual([404, 404]);
    expect(hidden.text).toBe(unknown.text);
    expect((await world.get(`${PATH}/${alias}`, {}, other)).text).toBe(unknown.text);
    expect(await statusOf(`${PATH}/${alias}`, {}, user)).toBe(200);
    const unverified = aSession({ email_verified: false });
    expect(await statusOf(`${PATH}/${await world.link()}`, {}, unverified)).toBe(200);
  });

  it('tell the destination of a closed link to its owner alone', async () => {
    const closed = { owner: user.id, expire_after: new Date(1000) };
    const alias = await world.link(closed);
    const urlFor = async (who?: Session): Promise<unknown> =>
      ((await world.get(`${PATH}/${alias}`, {}, who)).body as { link: object }).link;
    expect(await urlFor()).toMatchObject({ long_url: null, status: 'inactive' });
    expect(await urlFor(other)).toMatchObject({ long_url: null });
    expect(await urlFor(user)).toMatchObject({ long_url: 'https://example.com/' });
  });

  it('of a password link ask for the password, in the body of a POST only', async () => {
    const password_hash = await hashLinkPassword('secret.1');
    const alias = await world.link({ owner: user.id, password_hash });
    const post = (body?: object): request.Test =>
      request(world.service.url)
        .post(`${PATH}/${alias}`)
        .set('X-Forwarded-For', anAddress())
        .send(body);
    const required = { status: 401, body: { code: 'password_required' } };
    expect(await world.get(`${PATH}/${alias}`)).toMatchObject(required);
    expect(await world.get(`${PATH}/${alias}`, { password: 'secret.1' })).toMatchObject(required);
    expect(await post()).toMatchObject(required);
    expect(await post({})).toMatchObject(required);
    expect(await post({ password: 'secret.2' })).toMatchObject({
      status: 401,
      body: { code: 'invalid_password' },
    });
    expect(await post({ password: 'secret.1' })).toMatchObject({
      status: 200,
      body: { link: { password_protected: true } },
    });
    expect(await post({ password: 5 })).toMatchObject({ status: 422, body: { field: 'password' } });
    expect(await post({ password: 'x'.repeat(201) })).toMatchObject({ status: 422 });
    expect(await post([])).toMatchObject({ status: 422, body: { field: 'input' } });
    expect(await statusOf(`${PATH}/${alias}`, {}, user)).toBe(200);
  });

  it('let nobody try passwords without end', async () => {
    const password_hash = await hashLinkPassword('secret.1');
    const alias = await world.link({ password_hash });
    const address = anAddress();
    const statuses = [];
    for (let i = 0; i < 11; i += 1) {
      const answer = await request(world.service.url)
        .post(`${PATH}/${alias}`)
        .set('X-Forwarded-For', address)
        .send({ password: 'wrong' });
      statuses.push(answer.status);
    }
    expect(statuses).toEqual([...Array.from({ length: 10 }, () => 401), 429]);
  });
});
