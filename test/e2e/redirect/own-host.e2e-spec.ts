import request from 'supertest';
import { ApiClient } from '../../support/api-client';
import { anAddress, inBytes, post } from '../../support/http';
import { startService, type Service } from '../../support/service';

const ROOT = 'https://www.example.com/start?from=go';
const LOST = 'https://www.example.com/lost';
const REDIRECT = {
  'cache-control': 'no-store',
  'x-robots-tag': 'noindex, nofollow',
  'x-frame-options': 'DENY',
};

describe('the redirects of the BASE_URL host', () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService({ env: { ROOT_REDIRECT: ROOT, NOT_FOUND_REDIRECT: LOST } });
  });

  function open(
    path: string,
    headers: Record<string, string> = {},
    method: 'get' | 'head' = 'get',
  ) {
    const Host = `localhost:${service.port}`;
    const all = { 'X-Forwarded-For': anAddress(), Accept: 'text/html', Host, ...headers };
    return request(service.url)[method](path).redirects(0).set(all);
  }

  it.each(['get', 'head'] as const)('lead from the root to another page: %s', async (method) => {
    const answer = await open('/?x=1', { Accept: 'application/json' }, method);
    expect([answer.status, answer.headers.location]).toEqual([302, ROOT]);
    expect(answer.headers).toMatchObject({ ...REDIRECT, 'access-control-allow-origin': '*' });
    expect(answer.headers).not.toHaveProperty('x-ratelimit-limit');
  });

  it('show the form at /?form, which pages link to, and at the host of the target', async () => {
    const form = await open('/?form');
    expect(form.status).toBe(200);
    expect(form.text).toContain(
      '<link rel="canonical" href="' + `http://localhost:${service.port}/?form"`,
    );
    expect(form.text).toContain('href="/?form"');
    expect((await open('/', { Host: 'www.example.com:9' })).status).toBe(200);
    expect((await post(service, '/', {})).status).toBe(400);
  });

  it.each(['/unknown-code', '/unknown-code+', '/unknown-code/qr.svg', '/a/b/c', '/%', '/a.b?c=d'])(
    'lead from %s to another page',
    async (path) => {
      const answer = await inBytes(open(path));
      expect([answer.status, answer.headers.location]).toEqual([302, LOST]);
      expect(answer.headers).toMatchObject(REDIRECT);
      expect(answer.headers).not.toHaveProperty('x-error-code');
    },
  );

  it('apply to a link before its start as if its code were unknown', async () => {
    const api = await ApiClient.on(service);
    const { alias } = await api.aLink({ starts_at: Math.floor(Date.now() / 1000) + 3600 });
    const [future, unknown] = [await open(`/${alias}`), await open('/unknown-code')];
    expect([future.status, future.headers.location]).toEqual([302, LOST]);
    expect(Object.keys(future.headers)).toEqual(Object.keys(unknown.headers));
    await api.setStatus((await api.aLink({ alias: 'paused-one' })).id, 'INACTIVE');
    expect((await open('/paused-one')).status).toBe(410);
  });

  it('do not replace the 404 for programs, fixed paths and the host of the target', async () => {
    const json = await open('/unknown-code', { Accept: 'application/json' });
    expect([json.status, json.body]).toEqual([404, expect.objectContaining({ code: 'not_found' })]);
    for (const path of ['/api/x', '/static/x', '/.well-known/x', '/dashboard.x/y', '/result/x']) {
      expect([path, (await open(path)).status]).toEqual([
        path,
        path === '/dashboard.x/y' ? 302 : 404,
      ]);
    }
    expect((await open('/unknown-code', { Host: 'www.example.com' })).status).toBe(404);
  });
});
