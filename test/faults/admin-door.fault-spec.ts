import request from 'supertest';
import {
  anAdmin,
  aVerifiedAccount,
  strangersToAdmins,
  WITH_ADMIN,
} from '../support/factories/accounts';
import { becomes } from '../support/health';
import { anAddress, bearer } from '../support/http';
import { OwnEngine } from '../support/own-engine';
import { startService, TEST_SECRET } from '../support/service';

const UNKNOWN = '/api/v1/nothing-is-here';
const ID = 'f'.repeat(24);
const ROUTES = [
  ['get', '/api/v1/admin/trail'],
  ['get', `/api/v1/admin/urls/${ID}`],
  ['post', `/api/v1/admin/urls/${ID}/block`],
  ['put', `/api/v1/admin/accounts/${ID}/role`],
  ['delete', `/api/v1/admin/urls/${ID}`],
  ['get', '/api/v1/admin/nothing'],
] as const;
const OWN = ['x-request-id', 'date', 'connection', 'keep-alive'];

it('The administration is hidden while the database is down', async () => {
  const engine = new OwnEngine();
  await engine.start();
  const env = { ...WITH_ADMIN, JWT_SECRET: TEST_SECRET };
  const service = await startService({ mongoUri: engine.uri, env });
  const admin = await anAdmin(service);
  const user = await aVerifiedAccount(service);
  const callers = {
    ...(await strangersToAdmins(service, { admin, user })),
    'an admin': bearer(admin.accessToken),
  };
  const ask = async (
    method: (typeof ROUTES)[number][0],
    path: string,
    headers: Record<string, string>,
  ) => {
    const asked = request(service.url)[method](path).set('X-Forwarded-For', anAddress());
    const { status, text, headers: all } = await asked.set(headers).send();
    const shown = Object.entries(all as object).filter(([name]) => !OWN.includes(name));
    return { status, text, shown };
  };
  await engine.stop();
  await becomes(service, 'unhealthy');
  for (const [who, headers] of Object.entries(callers)) {
    for (const [method, path] of ROUTES) {
      const expected = await ask(method, UNKNOWN, headers);
      expect([who, method, path, await ask(method, path, headers)]).toEqual([
        ...[who, method, path, expected],
      ]);
      expect(expected.status).toBe(404);
    }
  }
  await engine.start();
  await becomes(service, 'healthy');
  expect((await ask('get', '/api/v1/admin/trail', bearer(admin.accessToken))).status).toBe(200);
  await service.stop();
  await engine.remove();
});
