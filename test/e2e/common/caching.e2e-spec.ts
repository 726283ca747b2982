import request from 'supertest';
import { aLink } from '../../support/factories/links';
import { anAddress } from '../../support/http';
import { startService, type Service } from '../../support/service';

const CREDENTIALS = ['Cookie', 'Authorization'];

const PRIVATE: [string, string, number, string[]][] = [
  ['GET', '/auth/me', 401, [...CREDENTIALS, 'Origin']],
  ['POST', '/auth/login', 422, [...CREDENTIALS, 'Origin']],
  ['POST', '/auth/logout', 200, [...CREDENTIALS, 'Origin']],
  ['GET', '/auth/login', 405, [...CREDENTIALS, 'Origin']],
  ['GET', '/auth/nothing', 404, [...CREDENTIALS, 'Origin']],
  ['GET', '/AUTH/me', 401, CREDENTIALS],
  ['GET', '/oauth/providers', 401, [...CREDENTIALS, 'Accept', 'Origin']],
  ['GET', '/oauth/google', 404, [...CREDENTIALS, 'Accept', 'Origin']],
  ['POST', '/api/v1/shorten', 422, CREDENTIALS],
  ['GET', '/api/v1/shorten/check-alias?alias=abcd', 200, CREDENTIALS],
  ['GET', '/api/v1/urls', 401, CREDENTIALS],
  ['GET', '/api/v1/keys', 401, CREDENTIALS],
  ['GET', '/api/v1/export?format=csv&scope=all', 401, CREDENTIALS],
  ['GET', '/api/v1/nothing', 404, CREDENTIALS],
  ['GET', '/api', 404, CREDENTIALS],
];

describe('HTTP caches', () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService();
  });
  afterAll(() => service.stop());

  const ask = (method: string, path: string, address = anAddress()) =>
    request(service.url)
      [method === 'GET' ? 'get' : 'post'](path)
      .redirects(0)
      .set('X-Forwarded-For', address);
  const dependsOn = (answer: request.Response): string[] =>
    (answer.headers.vary ?? '').split(/, */).filter((name) => name !== '');

  it.each(PRIVATE)('store no response to %s %s (%d)', async (method, path, status, vary) => {
    const answer = await ask(method, path);
    expect(answer.status).toBe(status);
    expect(answer.headers['cache-control']).toBe('no-store');
    expect(dependsOn(answer).sort()).toEqual([...vary].sort());
  });

  it('store no created link, and no 429 response', async () => {
    const address = anAddress();
    const made = await ask('POST', '/api/v1/shorten', address).send({ long_url: 'https://a.test' });
    expect(made.status).toBe(201);
    let answer = made;
    while (answer.status !== 429) answer = await ask('POST', '/api/v1/shorten', address);
    for (const one of [made, answer]) {
      expect(one.headers['cache-control']).toBe('no-store');
      expect(dependsOn(one)).toEqual(CREDENTIALS);
    }
  });

  it('distinguish pages from JSON on the same path', async () => {
    const { alias } = await aLink(service);
    for (const [method, path] of [
      ['GET', '/nobody-has-this'],
      ['GET', '/nobody+'],
      ['GET', '/result/nobody'],
      ['POST', '/stats/nobody'],
      ['POST', '/'],
      ['POST', '/emoji'],
      ['GET', `/export/${alias}/nonsense`],
    ] as const) {
      expect(dependsOn(await ask(method, path))).toContain('Accept');
    }
  });

  it.each(['/health', '/metric'])('need no request header for %s', async (path) => {
    expect(dependsOn(await ask('GET', path))).toEqual([]);
  });

  it('distinguish the encodings of /openapi.json', async () => {
    expect(dependsOn(await ask('GET', '/openapi.json'))).toEqual(['Accept-Encoding']);
  });
});
