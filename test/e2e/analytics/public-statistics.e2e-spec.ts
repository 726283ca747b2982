import request from 'supertest';
import { hashLinkPassword } from '../../../src/links/making/link-password';
import { Client } from '../../../src/infrastructure/client-address/client-address';
import { anAddress } from '../../support/http';
import { aSession, type Session, StatisticsWorld } from '../../support/statistics/statistics-world';

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

const json = { format: 'json' };
const statusOf = async (path: string, query: object, who?: Session): Promise<number> =>
  (await world.get(path, { ...json, ...query }, who)).status;

describe('Public statistics', () => {
  const PATH = '/api/v1/public/stats';

  it('show a public link to all visitors', async () => {
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

  it('return the same error for private and unknown links, except to the owner', async () => {
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

  it('reveal the destination of a closed link only to its owner', async () => {
    const closed = { owner: user.id, expire_after: new Date(1000) };
    const alias = await world.link(closed);
    const urlFor = async (who?: Session): Promise<unknown> =>
      ((await world.get(`${PATH}/${alias}`, {}, who)).body as { link: object }).link;
    expect(await urlFor()).toMatchObject({ long_url: null, status: 'inactive' });
    expect(await urlFor(other)).toMatchObject({ long_url: null });
    expect(await urlFor(user)).toMatchObject({ long_url: 'https://example.com/' });
  });

  it('of a link with a password require the password, only in the body of a POST request', async () => {
    const password_hash = await hashLinkPassword('secret.1', new Client('a test'));
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

  it('limit the number of password attempts', async () => {
    const password_hash = await hashLinkPassword('secret.1', new Client('a test'));
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
