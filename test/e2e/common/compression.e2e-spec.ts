import { get, type IncomingHttpHeaders } from 'node:http';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { ApiClient } from '../../support/api-client';
import { anAddress, visit } from '../../support/http';
import { startService, type Service } from '../../support/service';

interface Answer {
  status: number;
  headers: IncomingHttpHeaders;
  bytes: Buffer;
}

describe('compression', () => {
  let service: Service;
  let owner: ApiClient;
  let alias: string;

  beforeAll(async () => {
    service = await startService();
    owner = await ApiClient.on(service);
    const links = [];
    for (let i = 0; i < 12; i++) links.push(await owner.aLink());
    alias = links[0]?.alias ?? '';
    await visit(service, alias);
  });
  afterAll(() => service.stop());

  function ask(path: string, more: Record<string, string> = {}): Promise<Answer> {
    const headers = {
      Authorization: `Bearer ${owner.account.accessToken}`,
      'X-Forwarded-For': anAddress(),
      ...more,
    };
    return new Promise((resolve, reject) => {
      get(service.url + path, { headers, agent: false }, (response) => {
        const pieces: Buffer[] = [];
        response.on('data', (bytes: Buffer) => pieces.push(bytes));
        response.on('end', () => {
          const { statusCode: status = 0, headers } = response;
          resolve({ status, headers, bytes: Buffer.concat(pieces) });
        });
      }).on('error', reject);
    });
  }

  const year = 'start_date=2025-06-01&end_date=2026-05-31&timezone=Europe/Berlin';
  const LISTS: [string, () => string][] = [
    ['links', () => '/api/v1/urls?pageSize=100'],
    ['statistics', () => `/api/v1/stats?scope=all&${year}`],
    ['statistics of a code', () => `/api/v1/stats?scope=anon&short_code=${alias}&${year}`],
    ['public statistics', () => `/api/v1/public/stats/${alias}?${year}`],
    ['the API document', () => '/openapi.json'],
    ['a path in capitals', () => '/API/V1/URLS/?pageSize=100'],
  ];

  it.each(LISTS)('makes %s smaller, in the requested encoding', async (_, path) => {
    const plain = await ask(path());
    expect(plain.status).toBe(200);
    expect(plain.headers['content-encoding']).toBeUndefined();
    expect(plain.bytes.length).toBeGreaterThan(1024);
    for (const [accepted, coding, decode] of [
      ['gzip, deflate, br', 'br', brotliDecompressSync],
      ['gzip', 'gzip', gunzipSync],
      ['br;q=0, gzip', 'gzip', gunzipSync],
    ] as const) {
      const answer = await ask(path(), { 'Accept-Encoding': accepted });
      expect(answer.headers['content-encoding']).toBe(coding);
      expect(answer.headers['content-type']).toBe(plain.headers['content-type']);
      expect(answer.bytes.length).toBeLessThan(plain.bytes.length);
      const told = (json: Buffer): object => ({ ...(JSON.parse(String(json)) as object) });
      expect(Object.keys(told(decode(answer.bytes)))).toEqual(Object.keys(told(plain.bytes)));
    }
    for (const accepted of ['identity', 'br;q=0', '*;q=0']) {
      const { headers } = await ask(path(), { 'Accept-Encoding': accepted });
      expect(headers['content-encoding']).toBeUndefined();
      expect(headers.vary).toMatch(/(?:^|, )Accept-Encoding$/);
    }
    expect(plain.headers.vary).toMatch(/(?:^|, )Accept-Encoding$/);
  });

  it.each(['/api/v1/urls?pageSize=1', '/api/v1/overview'])(
    'does not change %s, which is small',
    async (path) => {
      const { headers } = await ask(path, { 'Accept-Encoding': 'br' });
      expect(headers['content-encoding']).toBeUndefined();
      expect(Number(headers['content-length'])).toBeLessThan(1024);
      expect(headers.vary).toContain('Accept-Encoding');
    },
  );

  it.each([
    '/auth/me',
    '/auth/sessions',
    '/api/v1/keys',
    '/',
    '/login',
    '/register',
    '/health',
    '/dashboard',
    `/api/v1/export?format=json&scope=all&${year}`,
    '/api/v1/urls/export?format=json',
  ])('does not change %s', async (path) => {
    const { headers } = await ask(path, { 'Accept-Encoding': 'br, gzip' });
    expect(headers['content-encoding']).toBeUndefined();
    expect(headers.vary ?? '').not.toContain('Accept-Encoding');
  });

  it('returns complete exports', async () => {
    const path = `/api/v1/export?format=json&scope=all&${year}`;
    const { status, bytes } = await ask(path, { 'Accept-Encoding': 'br, gzip' });
    expect(status).toBe(200);
    expect(() => JSON.parse(String(bytes)) as object).not.toThrow();
  });

  it('uses one ETag for all encodings of the API document', async () => {
    const { headers } = await ask('/openapi.json', { 'Accept-Encoding': 'br' });
    expect(headers.etag).toMatch(/^W\/"/);
    for (const accepted of ['br', 'gzip', 'identity']) {
      const { status, headers: known } = await ask('/openapi.json', {
        'Accept-Encoding': accepted,
        'If-None-Match': headers.etag ?? '',
      });
      expect(status).toBe(304);
      expect(known).toMatchObject({ etag: headers.etag, vary: 'Accept-Encoding' });
      expect(known['content-encoding']).toBeUndefined();
    }
  });
});
