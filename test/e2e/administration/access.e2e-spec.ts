import request from 'supertest';
import {
  ADMIN_EMAIL,
  anAdmin,
  aVerifiedAccount,
  STRONG_PASSWORD,
  strangersToAdmins,
  type TestAccount,
  WITH_ADMIN,
} from '../../support/factories/accounts';
import { anAddress, bearer, cookiesOf, post } from '../../support/http';
import { type Service, startService } from '../../support/service';

type Method = 'get' | 'post' | 'put' | 'patch' | 'delete' | 'head' | 'options';
const UNKNOWN = '/api/v1/nothing-is-here';
const OWN = ['x-request-id', 'date', 'connection', 'keep-alive'];

describe('The administration', () => {
  let service: Service;
  let admin: TestAccount;
  let user: TestAccount;
  let routes: [Method, string][];
  beforeAll(async () => {
    service = await startService({ env: WITH_ADMIN });
    admin = await anAdmin(service);
    user = await aVerifiedAccount(service);
    const { paths } = (await request(service.url).get('/openapi.json')).body as {
      paths: Record<string, Record<string, unknown>>;
    };
    routes = Object.entries(paths)
      .filter(([path]) => path.startsWith('/api/v1/admin'))
      .flatMap(([path, methods]) =>
        Object.keys(methods).map((method): [Method, string] => [
          method as Method,
          path.replace(/\{\w+\}/g, 'f'.repeat(24)),
        ]),
      );
  });
  afterAll(() => service.stop());

  async function ask(
    [method, path]: [Method, string],
    headers: Record<string, string> = {},
    body?: string,
  ) {
    const asked = request(service.url)[method](path).set('X-Forwarded-For', anAddress());
    const answer = await asked.set(headers).send(body);
    const shown = Object.entries(answer.headers as Record<string, string>).filter(
      ([name]) => !OWN.includes(name),
    );
    return { status: answer.status, text: answer.text, headers: Object.fromEntries(shown) };
  }

  it('has routes', () => {
    expect(routes).toContainEqual(['get', '/api/v1/admin/trail']);
  });

  it('is hidden from all callers except admins, for any request', async () => {
    const callers = await strangersToAdmins(service, { admin, user });
    const json = { 'Content-Type': 'application/json' };
    const bodies: [Record<string, string>, string | undefined][] = [
      [{}, undefined],
      [json, '{"reason":'],
      [json, JSON.stringify({ reason: 'x'.repeat(2_000_000) })],
    ];
    for (const [who, credential] of Object.entries(callers)) {
      for (const [method, path] of routes) {
        const writes = !['get', 'head', 'options'].includes(method);
        for (const [type, body] of writes ? bodies : bodies.slice(0, 1)) {
          const headers = { ...credential, ...type };
          const name = [who, method, path, body?.length];
          const expected = await ask([method, UNKNOWN], headers, body);
          const answer = await ask([method, path], headers, body);
          expect([name, answer]).toEqual([name, expected]);
          expect(answer.status).toBe(404);
        }
      }
    }
  });

  it.each<[Method, string]>([
    ['post', '/api/v1/admin/trail'],
    ['delete', '/API/v1/Admin/trail/export'],
    ['options', '/api/v1/admin/trail'],
    ['head', '/api/v1/admin/trail'],
    ['get', '/api/v1/admin'],
    ['get', '/api/v1/admin/'],
    ['get', '/api/v1/admin/nothing'],
    ['get', '/api/v1/admin/trail/%'],
    ['get', '/api/v1/admin/trail?page=%'],
  ])('hides %s %s', async (method, path) => {
    const unknown = path.replace(/admin.*/i, 'nothing-is-here');
    expect(await ask([method, path])).toEqual(await ask([method, unknown]));
  });

  it('accepts admins with a bearer token or a cookie, and validates their input', async () => {
    for (const [method, path] of routes) {
      for (const headers of [bearer(admin.accessToken), { Cookie: admin.cookies }]) {
        const { status, headers: shown } = await ask([method, path], headers);
        expect([method, path, [401, 403, 429, 500].includes(status)]).toContain(false);
        expect(shown).toHaveProperty('x-ratelimit-limit', '120');
      }
    }
    const { status } = await ask(
      ['get', '/api/v1/admin/trail?pageSize=101'],
      bearer(admin.accessToken),
    );
    expect(status).toBe(422);
  });

  it('rejects an ended session, and a form from another site', async () => {
    const login = { email: ADMIN_EMAIL, password: STRONG_PASSWORD };
    const answer = await post(service, '/auth/login', login);
    expect(answer.body.user).toMatchObject({ role: 'admin' });
    const cookies = cookiesOf(answer);
    const trail: [Method, string] = ['get', '/api/v1/admin/trail'];
    expect((await ask(trail, { Cookie: cookies })).status).toBe(200);
    await post(service, '/auth/logout').set('Cookie', cookies);
    expect((await ask(trail, { Cookie: cookies })).status).toBe(404);
    expect((await ask(trail, bearer(answer.body.access_token as string))).status).toBe(404);
  });
});
