import request from 'supertest';
import { ADMIN_EMAIL, anAdmin, aVerifiedAccount } from '../../support/factories/accounts';
import { anAddress, bearer, inBytes } from '../../support/http';
import { eventually, type Service, startService } from '../../support/service';

describe('The audit trail', () => {
  let service: Service;
  afterEach(() => service.stop());

  const get = (path: string, token: string) =>
    request(service.url)
      .get(`/api/v1/admin${path}`)
      .set({ 'X-Forwarded-For': anAddress(), ...bearer(token) });

  it('records admins created by ADMIN_EMAILS, at verification and at startup', async () => {
    service = await startService({ env: { ADMIN_EMAILS: ` ${ADMIN_EMAIL.toUpperCase()} ` } });
    const { database } = service;
    const admin = await anAdmin(service);
    const other = await aVerifiedAccount(service);
    expect((await get('/trail', other.accessToken)).status).toBe(404);
    const entry = (userId: string, email: string) => ({
      id: expect.any(String),
      at: expect.stringMatching(/^\d{4}-.*Z$/),
      actor: { id: null, via: 'start', email: null },
      act: 'account.role',
      subject: { kind: 'account', id: userId, email },
      reason: null,
      before: { role: 'user' },
      after: { role: 'admin' },
    });
    const first = await get('/trail', admin.accessToken);
    expect(first.body).toEqual({
      items: [entry(admin.userId, ADMIN_EMAIL)],
      ...{ page: 1, pageSize: 25, total: 1, hasNext: false },
    });
    await service.stop();

    service = await startService({ database, env: { ADMIN_EMAILS: other.email } });
    await eventually(async () => (await get('/trail', other.accessToken)).status === 200);
    const page = await get('/trail', other.accessToken);
    expect(page.body.items).toEqual([
      entry(other.userId, other.email),
      entry(admin.userId, ADMIN_EMAIL),
    ]);
    expect((await get('/trail', admin.accessToken)).status).toBe(200);

    const about = await get(`/trail?subject=${admin.userId}&act=account.role`, other.accessToken);
    expect(about.body).toMatchObject({ items: [entry(admin.userId, ADMIN_EMAIL)], total: 1 });
    const by = await get(`/trail?actor=${admin.userId.toUpperCase()}`, other.accessToken);
    expect(by.body).toMatchObject({ items: [], total: 0 });
    expect((await get('/trail?actor=nobody', other.accessToken)).status).toBe(400);
    expect((await get('/trail?act=url.eat', other.accessToken)).status).toBe(422);

    const file = await inBytes(get('/trail/export', other.accessToken));
    expect(file.headers).toMatchObject({
      'content-type': 'application/x-ndjson',
      'content-disposition': 'attachment; filename="curtail-trail.ndjson"',
    });
    const text = (file.body as Buffer).toString();
    const lines = text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as object);
    expect(lines).toMatchObject([
      { actor: { id: null, via: 'start' }, subject: { id: admin.userId } },
      { subject: { id: other.userId } },
    ]);
    expect(text).not.toContain('@');
  });
});
