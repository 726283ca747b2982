import { randomBytes } from 'node:crypto';
import { hashLinkPassword } from '../../../src/links/making/link-password';
import { Client } from '../../../src/infrastructure/client-address/client-address';
import { anAddress } from '../../support/http';
import {
  aKey,
  aSession,
  type Session,
  StatisticsWorld,
} from '../../support/statistics/statistics-world';

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

  it('GET /stats checks the schema before the credential, and /export after it', async () => {
    expect(await statusOf(STATS, { scope: 'x' })).toBe(422);
    expect(await statusOf(EXPORT, { scope: 'x' })).toBe(401);
    const bad = { ...user, token: 'no.such.token' };
    expect(await statusOf(STATS, { scope: 'x' }, bad)).toBe(422);
    expect(await statusOf(STATS, { scope: 'all' }, bad)).toBe(401);
  });

  it('scope=anon shows public statistics to all callers, but files only to signed-in ones', async () => {
    const short_code = await world.link({ owner: user.id });
    expect(await statusOf(STATS, { scope: 'anon', short_code })).toBe(200);
    expect(await statusOf(STATS, { scope: 'anon', short_code }, other)).toBe(200);
    expect(await statusOf(EXPORT, { scope: 'anon', short_code })).toBe(401);
    expect(await statusOf(EXPORT, { scope: 'anon', short_code }, other)).toBe(200);
    const bad = { ...user, token: 'no.such.token' };
    expect(await statusOf(STATS, { scope: 'anon', short_code }, bad)).toBe(401);
  });

  it('scope=anon returns 404 for an unknown code', async () => {
    expect(await statusOf(STATS, { scope: 'anon', short_code: 'none-such' })).toBe(404);
    expect(await statusOf(EXPORT, { scope: 'anon', short_code: 'none-such' }, user)).toBe(404);
  });

  it('scope=anon of private statistics returns 401 without an account, 403 to others, 200 to the owner', async () => {
    const short_code = await world.link({ owner: user.id, private_stats: true });
    expect(await statusOf(STATS, { scope: 'anon', short_code })).toBe(401);
    for (const path of [STATS, EXPORT]) {
      expect(await statusOf(path, { scope: 'anon', short_code }, other)).toBe(403);
      expect(await statusOf(path, { scope: 'anon', short_code }, user)).toBe(200);
    }
  });

  it('scope=anon of a link with a password requires the password, except from its owner', async () => {
    const password_hash = await hashLinkPassword('secret.1', new Client('a test'));
    const short_code = await world.link({ owner: user.id, password_hash });
    const query = { ...json, scope: 'anon', short_code };
    for (const [path, who] of [
      [STATS, undefined],
      [STATS, other],
      [EXPORT, other],
    ] as const) {
      const asked = (password?: string) => {
        const test = world.get(path, query, who);
        return password === undefined ? test : test.set('X-Link-Password', password);
      };
      expect(await asked()).toMatchObject({ status: 401, body: { code: 'password_required' } });
      expect(await asked('secret.2')).toMatchObject({
        status: 401,
        body: { code: 'invalid_password' },
      });
      expect((await asked('secret.1')).status).toBe(200);
      const inQuery = await world.get(path, { ...query, password: 'secret.1' }, who);
      expect(inQuery.body).toMatchObject({ code: 'password_required' });
    }
    for (const path of [STATS, EXPORT]) expect(await statusOf(path, query, user)).toBe(200);
  });

  it('scope=anon counts password attempts together with those of the link', async () => {
    const password_hash = await hashLinkPassword('secret.1', new Client('a test'));
    const short_code = await world.link({ password_hash });
    const address = anAddress();
    const present = (password: string) =>
      world
        .get(STATS, { scope: 'anon', short_code })
        .set('X-Forwarded-For', address)
        .set('X-Link-Password', password);
    for (let i = 0; i < 10; i += 1) expect((await present('wrong')).status).toBe(401);
    expect((await present('secret.1')).status).toBe(429);
  });

  it('scope=anon rejects private statistics before it checks the password', async () => {
    const password_hash = await hashLinkPassword('secret.1', new Client('a test'));
    const short_code = await world.link({ owner: user.id, private_stats: true, password_hash });
    const { status, body } = await world.get(STATS, { scope: 'anon', short_code });
    expect({ status, body }).toMatchObject({ status: 401, body: { code: 'authentication_error' } });
    expect(await statusOf(STATS, { scope: 'anon', short_code }, other)).toBe(403);
  });

  it('scope=all of one code returns 200 for own, 403 for foreign and ownerless, 404 for unknown links', async () => {
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

  it('an unverified email gets 403', async () => {
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
  it.each([STATS, EXPORT])(
    '%s/links: foreign and unknown links return the same 404',
    async (path) => {
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
    },
  );
});
