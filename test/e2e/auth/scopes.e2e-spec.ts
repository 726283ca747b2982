import request from 'supertest';
import { type Scope, SCOPES } from '../../../src/auth/access';
import { SCOPE_MATRIX } from '../../../src/auth/route-audit';
import {
  aKey,
  anAccount,
  aVerifiedAccount,
  type TestAccount,
} from '../../support/factories/accounts';
import { anAddress, bearer, post } from '../../support/http';
import { newestCode } from '../../support/outbox';
import { type Service, startService } from '../../support/service';

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

interface Row {
  readonly method: Method;
  readonly path: string;
  readonly query?: string;
  readonly scopes: readonly Scope[];
  readonly anonymous: boolean;
  readonly verified?: false;
}

const CREATE = ['shorten:create', 'admin:all'] as const;
const READ = ['urls:read', 'admin:all'] as const;
const MANAGE = ['urls:manage', 'admin:all'] as const;
const ADMIN = ['admin:all'] as const;
const STATS = ['stats:read', 'urls:read', 'admin:all'] as const;

const TABLE: readonly Row[] = [
  { method: 'POST', path: '/api/v1/shorten', scopes: CREATE, anonymous: true },
  { method: 'GET', path: '/api/v1/shorten/check-alias', scopes: CREATE, anonymous: true },
  { method: 'GET', path: '/api/v1/urls', scopes: READ, anonymous: false },
  { method: 'GET', path: '/api/v1/urls/*', scopes: READ, anonymous: false },
  { method: 'GET', path: '/api/v1/urls/*/*', scopes: READ, anonymous: false },
  {
    method: 'GET',
    path: '/api/v1/urls/export',
    query: '?format=json',
    scopes: READ,
    anonymous: false,
  },
  { method: 'POST', path: '/api/v1/urls/*/resolve', scopes: READ, anonymous: false },
  { method: 'POST', path: '/api/v1/urls/bulk/create', scopes: CREATE, anonymous: false },
  ...['update', 'status', 'expiry', 'domain', 'delete', 'delete-clicks'].map((what) => ({
    ...({ method: 'POST', scopes: MANAGE, anonymous: false } as const),
    path: `/api/v1/urls/bulk/${what}`,
  })),
  {
    method: 'DELETE',
    path: '/api/v1/urls',
    query: '?domain=links.example.org',
    scopes: MANAGE,
    anonymous: false,
  },
  { method: 'GET', path: '/api/v1/tags', scopes: READ, anonymous: false },
  { method: 'POST', path: '/api/v1/tags', scopes: MANAGE, anonymous: false },
  { method: 'PATCH', path: '/api/v1/tags/*', scopes: MANAGE, anonymous: false },
  { method: 'DELETE', path: '/api/v1/tags/*', scopes: MANAGE, anonymous: false },
  { method: 'GET', path: '/api/v1/utm-templates', scopes: READ, anonymous: false },
  { method: 'POST', path: '/api/v1/utm-templates', scopes: MANAGE, anonymous: false },
  { method: 'PATCH', path: '/api/v1/utm-templates/*', scopes: MANAGE, anonymous: false },
  { method: 'DELETE', path: '/api/v1/utm-templates/*', scopes: MANAGE, anonymous: false },
  ...['', '/*'].map((path) => ({
    ...({ method: 'GET', scopes: ['domains:read', 'admin:all'], anonymous: false } as const),
    path: `/api/v1/custom-domains${path}`,
  })),
  {
    ...({ method: 'GET', path: '/api/v1/custom-domains/shared', anonymous: false } as const),
    scopes: ['domains:read', 'shorten:create', 'admin:all'],
  },
  ...(
    [
      ['POST', ''],
      ['POST', '/*/verify'],
      ['PATCH', '/*'],
      ['DELETE', '/*'],
      ['DELETE', '/*/permanent'],
    ] as const
  ).map(([method, path]) => ({
    ...({ scopes: ['domains:manage', 'admin:all'], anonymous: false } as const),
    method,
    path: `/api/v1/custom-domains${path}`,
  })),
  ...(
    [
      ['GET', ''],
      ['POST', ''],
      ['GET', '/*'],
      ['DELETE', '/*'],
      ['GET', '/*/rows'],
      ['GET', '/*/report.csv'],
      ['POST', '/*/run'],
      ['POST', '/*/sync'],
      ['POST', '/*/undo'],
      ['POST', '/*/cancel'],
    ] as const
  ).map(([method, path]) => ({
    ...({ scopes: MANAGE, anonymous: false } as const),
    method,
    path: `/api/v1/imports${path}`,
  })),
  {
    method: 'POST',
    path: '/api/v1/reports',
    scopes: ['reports:create', 'admin:all'],
    anonymous: true,
  },
  { method: 'GET', path: '/api/v1/overview', scopes: READ, anonymous: false },
  { method: 'GET', path: '/api/v1/urls/*/qr', scopes: READ, anonymous: false },
  { method: 'GET', path: '/api/v1/urls/*/qr.svg', scopes: READ, anonymous: false },
  { method: 'GET', path: '/api/v1/urls/*/qr.png', scopes: READ, anonymous: false },
  { method: 'PUT', path: '/api/v1/urls/*/qr', scopes: MANAGE, anonymous: false },
  { method: 'PUT', path: '/api/v1/qr/logo', scopes: [], anonymous: false },
  { method: 'GET', path: '/api/v1/qr/logo', scopes: [], anonymous: false },
  { method: 'DELETE', path: '/api/v1/qr/logo', scopes: [], anonymous: false },
  { method: 'PATCH', path: '/api/v1/urls/*', scopes: MANAGE, anonymous: false },
  { method: 'PATCH', path: '/api/v1/urls/*/status', scopes: MANAGE, anonymous: false },
  { method: 'DELETE', path: '/api/v1/urls/*', scopes: MANAGE, anonymous: false },
  { method: 'DELETE', path: '/api/v1/urls/*/clicks', scopes: MANAGE, anonymous: false },
  { method: 'POST', path: '/api/v1/urls/claim', scopes: MANAGE, anonymous: false },
  { method: 'GET', path: '/api/v1/stats', query: '?scope=all', scopes: STATS, anonymous: false },
  { method: 'GET', path: '/api/v1/stats/links/*', scopes: STATS, anonymous: false },
  { method: 'GET', path: '/api/v1/export', scopes: STATS, anonymous: false },
  { method: 'GET', path: '/api/v1/export/links/*', scopes: STATS, anonymous: false },
  {
    method: 'GET',
    path: '/api/v1/public/stats/*',
    scopes: SCOPES,
    anonymous: true,
    verified: false,
  },
  {
    method: 'POST',
    path: '/api/v1/public/stats/*',
    scopes: SCOPES,
    anonymous: true,
    verified: false,
  },
  ...['/api/v1/public/preview/*', '/api/v1/emoji-set'].map((path) => ({
    ...({ method: 'GET', path, scopes: SCOPES, anonymous: true, verified: false } as const),
  })),
  // The scope that shows a job depends on its kind (test/e2e/jobs).
  {
    method: 'GET',
    path: '/api/v1/jobs/*',
    scopes: SCOPES,
    anonymous: false,
    verified: false,
  },
  {
    method: 'POST',
    path: '/api/v1/jobs/*/cancel',
    scopes: SCOPES,
    anonymous: false,
    verified: false,
  },
  ...(
    [
      ['POST', ''],
      ['GET', ''],
      ['GET', '/*'],
      ['GET', '/*/file'],
      ['DELETE', '/*'],
    ] as const
  ).map(([method, path]) => ({
    ...({ method, scopes: [], anonymous: false } as const),
    path: `/api/v1/account/exports${path}`,
  })),
  { method: 'POST', path: '/api/v1/keys', scopes: [], anonymous: false },
  { method: 'GET', path: '/api/v1/keys', scopes: [], anonymous: false },
  { method: 'DELETE', path: '/api/v1/keys/*', scopes: [], anonymous: false },
  ...(
    [
      ['GET', '/auth/me', SCOPES],
      ['PATCH', '/auth/me', []],
      ['POST', '/auth/me/code', []],
      ['DELETE', '/auth/me', []],
      ['POST', '/auth/me/delete', []],
      ['POST', '/auth/me/restore', []],
      ['POST', '/auth/me/email', []],
      ['POST', '/auth/me/email/confirm', []],
      ['POST', '/auth/change-password', []],
      ['GET', '/auth/sessions', []],
      ['DELETE', '/auth/sessions', []],
      ['DELETE', '/auth/sessions/*', []],
      ['POST', '/auth/set-password', ADMIN],
      ['POST', '/auth/send-verification', SCOPES],
      ['POST', '/auth/verify-email', ADMIN],
      ['GET', '/oauth/providers', SCOPES],
      ['DELETE', '/oauth/providers/*/unlink', ADMIN],
      ['GET', '/oauth/*/link', []],
    ] as const
  ).map(([method, path, scopes]) => ({
    method,
    path,
    scopes,
    anonymous: false,
    verified: false as const,
  })),
];

const nameOf = (row: Row) => `${row.method} ${row.path}`;

const LIVE = TABLE.map(nameOf).filter(
  (name) =>
    ['GET /auth/sessions', 'GET /oauth/*/link'].includes(name) ||
    !(name.startsWith('GET ') || name === 'POST /api/v1/public/stats/*'),
);

describe('The scope matrix', () => {
  let service: Service;
  beforeAll(async () => (service = await startService()));
  afterAll(() => service.stop());

  async function call(row: Row, headers: Record<string, string>): Promise<[number, string]> {
    const path = row.path.replaceAll('*', 'f'.repeat(24)) + (row.query ?? '');
    const method = row.method.toLowerCase() as Lowercase<Method>;
    const answer = await request(service.url)
      [method](path)
      .set({ 'X-Forwarded-For': anAddress(), Accept: 'application/json', ...headers });
    return [answer.status, (answer.body as { code?: string }).code ?? ''];
  }

  const passed = ([status]: [number, string]) => ![401, 403, 429, 500].includes(status);

  it('lists exactly the routes of the program', async () => {
    const { paths } = (await request(service.url).get('/openapi.json')).body as {
      paths: Record<string, object>;
    };
    const routes = Object.entries(paths).flatMap(([path, methods]) =>
      Object.keys(methods).map(
        (method) => `${method.toUpperCase()} ${path.replace(/\{[^}]+\}/g, '*')}`,
      ),
    );
    const names = TABLE.map(nameOf);
    const v1 = (route: string) => route.includes(' /api/v1/') && !route.includes(' /api/v1/admin/');
    expect(routes.filter(v1).sort()).toEqual(names.filter(v1).sort());
    expect(routes).toEqual(expect.arrayContaining(names));
    expect(Object.keys(SCOPE_MATRIX).sort()).toEqual(TABLE.map(nameOf).sort());
  });

  it.each(SCOPES)('allows a key with %s only the actions in the contract', async (scope) => {
    const key = await aKey(service, await aVerifiedAccount(service), [scope]);
    for (const row of TABLE) {
      const answer = await call(row, bearer(key));
      if (row.scopes.includes(scope)) expect([nameOf(row), passed(answer), answer]).toContain(true);
      else expect([nameOf(row), ...answer]).toEqual([nameOf(row), 403, 'forbidden']);
    }
  });

  it('allows a session all actions', async () => {
    const account = await aVerifiedAccount(service);
    for (const row of TABLE) {
      for (const headers of [bearer(account.accessToken), { Cookie: account.cookies }]) {
        expect([nameOf(row), passed(await call(row, headers))]).toEqual([nameOf(row), true]);
      }
    }
  });

  it('allows the token of an ended session to read until it expires, but not to write', async () => {
    const ends: [string, (account: TestAccount) => Promise<unknown>][] = [
      ['logout', ({ cookies }) => post(service, '/auth/logout').set('Cookie', cookies)],
      ['replay', ({ cookies }) => replay(cookies)],
      ['password reset', resetPassword],
    ];
    for (const [how, end] of ends) {
      const account = await aVerifiedAccount(service);
      await end(account);
      for (const row of TABLE) {
        const answer = await call(row, bearer(account.accessToken));
        const name = [how, nameOf(row)];
        if (!LIVE.includes(nameOf(row))) expect([name, passed(answer)]).toEqual([name, true]);
        else expect([name, ...answer]).toEqual([name, 401, 'authentication_error']);
        const cookie = `access_token=${account.accessToken}`;
        const byCookie = await call(row, { Cookie: cookie });
        if (LIVE.includes(nameOf(row))) expect([name, byCookie[0]]).toEqual([name, 401]);
      }
    }
  });

  async function replay(cookies: string): Promise<void> {
    for (const status of [200, 401]) {
      const answer = await post(service, '/auth/refresh').set('Cookie', cookies);
      expect(answer.status).toBe(status);
    }
  }

  async function resetPassword({ email }: TestAccount): Promise<void> {
    await post(service, '/auth/request-password-reset', { email });
    const code = await newestCode(service, email, 2);
    const body = { email, code, password: 'N3w-password!' };
    expect((await post(service, '/auth/reset-password', body)).status).toBe(200);
  }

  it('requires a verified email on every route except public statistics', async () => {
    const account = await anAccount(service);
    for (const row of TABLE) {
      const answer = await call(row, bearer(account.accessToken));
      if (row.verified === false) expect([nameOf(row), passed(answer)]).toContain(true);
      else expect([nameOf(row), ...answer]).toEqual([nameOf(row), 403, 'email_not_verified']);
    }
  });

  it('allows anonymous callers on the routes in the contract', async () => {
    for (const row of TABLE) {
      const answer = await call(row, {});
      if (row.anonymous) expect([nameOf(row), passed(answer)]).toContain(true);
      else expect([nameOf(row), ...answer]).toEqual([nameOf(row), 401, 'authentication_error']);
    }
  });
});
