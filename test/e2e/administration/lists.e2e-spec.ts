import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Connection } from 'mongoose';
import request from 'supertest';
import { anAdmin, WITH_ADMIN } from '../../support/factories/accounts';
import { databaseOf } from '../../support/database';
import { aLink } from '../../support/factories/links';
import { anAddress, bearer, post, visit } from '../../support/http';
import { eventually, type Service, startService } from '../../support/service';

const CLOSED_BY_LIST = { 'blocked.by': 'list' };

describe('The lists, as shown to admins', () => {
  const folder = mkdtempSync(join(tmpdir(), 'curtail-lists-'));
  const hosts = join(folder, 'hosts.txt');
  let service: Service;
  let database: Connection;
  beforeAll(async () => {
    writeFileSync(hosts, 'other.example\n||no^host\n');
    service = await startService({ env: { ...WITH_ADMIN, BLOCKED_HOSTS_FILE: hosts } });
  });
  afterAll(async () => {
    await database.close();
    await service.stop();
    rmSync(folder, { recursive: true });
  });

  it('have entries, unreadable lines, the links that they closed, and a check of all links', async () => {
    const admin = await anAdmin(service);
    database = await databaseOf(service);
    const get = async (path: string) => {
      const headers = { 'X-Forwarded-For': anAddress(), ...bearer(admin.accessToken) };
      return (await request(service.url).get(`/api/v1/admin${path}`).set(headers)).body as unknown;
    };
    // Reads the database, because polling the route would exceed its rate limit.
    const walked = async (blocked: number): Promise<void> =>
      eventually(`${blocked} links are closed, and the walk is done`, async () => {
        const links = await database.collection('links').countDocuments(CLOSED_BY_LIST);
        const job = await database.collection('jobs').findOne({ kind: 'block_list' });
        return links === blocked && job?.['state'] === 'done';
      });
    await aLink(service, { long_url: 'https://good.example/' });
    const { alias } = await aLink(service, { long_url: 'https://a.evil.example/' });
    expect(await get('/lists')).toEqual({
      hosts: {
        ...{ file: 'hosts.txt', entries: 1, loaded_at: expect.stringMatching(/^\d{4}-.*Z$/) },
        unreadable: { total: 1, lines: [{ line: 2, text: '||no^host' }] },
        ...{ error: null, links_blocked: 0, walk: expect.any(Object) },
      },
      urls: {
        ...{ file: null, entries: 0, loaded_at: null, unreadable: { total: 0, lines: [] } },
        ...{ error: null, links_blocked: 0, walk: expect.any(Object) },
      },
      stored: { entries: 0, links_blocked: 0 },
    });
    writeFileSync(hosts, 'evil.example\n');
    await walked(1);
    expect(await get('/lists')).toMatchObject({
      hosts: { entries: 1, unreadable: { total: 0 }, walk: { state: 'idle', done: 2, total: 2 } },
      urls: { links_blocked: 0 },
    });
    writeFileSync(hosts, '# none\n');
    await walked(0);
    writeFileSync(hosts, 'evil.example\n');
    await walked(1);
    const found = (await get('/urls?host=evil.example')) as { items: { id: string }[] };
    expect(found.items).toMatchObject([
      { alias, blocked: { reason: 'On the list of blocked hosts' }, list_exempt: false },
    ]);
    const path = `/api/v1/admin/urls/${found.items[0]!.id}/unblock`;
    const opened = await post(service, path).set(bearer(admin.accessToken));
    expect([opened.status, opened.body.status, opened.body.list_exempt]).toEqual([
      ...[200, 'ACTIVE', true],
    ]);
    const walks = () => service.log().split('Checked links against the blocklists').length;
    const before = walks();
    writeFileSync(hosts, 'evil.example\nmore.example\n');
    await eventually('another walk is done', () => walks() > before);
    expect((await visit(service, alias)).status).toBe(302);
    expect(await get('/trail?act=list.apply')).toMatchObject({
      items: [
        { after: { blocked: 1, unblocked: 0 } },
        { after: { blocked: 0, unblocked: 1 } },
        { after: { blocked: 1, unblocked: 0 } },
      ],
      total: 3,
    });
    rmSync(hosts);
    await eventually('the loss is logged', () => service.log().includes('can no longer be read'));
    // The process that responds may reload its lists later than the other process.
    await eventually('its lists say so', async () => {
      const { hosts: shown } = (await get('/lists')) as { hosts: { error: string | null } };
      return shown.error === 'must name a file that exists';
    });
  });
});
