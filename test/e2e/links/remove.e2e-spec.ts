import mongoose from 'mongoose';
import { visit } from '../../support/http';
import { databaseOf, totalClicks } from '../../support/database';
import { ApiClient } from '../../support/api-client';
import { eventually, startService, type Service } from '../../support/service';

describe('DELETE /api/v1/urls/{url_id}', () => {
  let service: Service;
  let owner: ApiClient;
  let database: mongoose.Connection;

  beforeAll(async () => {
    service = await startService();
    database = await databaseOf(service);
  });
  beforeEach(async () => {
    owner = await ApiClient.on(service);
  });
  afterAll(async () => {
    await database.close();
    await service.stop();
  });

  const traces = async (id: string): Promise<number> => {
    const _id = new mongoose.Types.ObjectId(id);
    const [links, stores, blocks] = await Promise.all([
      database.collection('links').countDocuments({ _id }),
      database.collection('ledgers').countDocuments({ _id }),
      database.collection('click_blocks').countDocuments({ link: _id }),
    ]);
    return links + stores + blocks;
  };

  it('deletes the link immediately and returns its id', async () => {
    const link = await owner.aLink();
    expect((await visit(service, link.alias)).status).toBe(302);
    const { status, body } = await owner.remove(link.id.toUpperCase());
    expect(status).toBe(200);
    expect(body).toEqual({ message: 'URL deleted', id: link.id });
    expect((await visit(service, link.alias)).status).toBe(404);
    expect((await owner.show(link.id)).status).toBe(404);
    expect((await owner.remove(link.id)).status).toBe(404);
  });

  it('deletes recorded and pending clicks, so that a new link with the alias starts at zero', async () => {
    const link = await owner.aLink();
    await visit(service, link.alias);
    await eventually('a click is recorded', async () => {
      return (await totalClicks(database, link.id)) === 1;
    });
    await Promise.all(Array.from({ length: 20 }, () => visit(service, link.alias)));
    expect((await owner.remove(link.id)).status).toBe(200);
    const next = await owner.aLink({ alias: link.alias });
    expect(next.id).not.toBe(link.id);
    await visit(service, next.alias);
    await eventually('the new link counts', async () => {
      return (await totalClicks(database, next.id)) === 1;
    });
    // A batch may contain clicks on both links and is counted before the deleted links' clicks are
    // removed.
    await eventually('no trace is left', async () => (await traces(link.id)) === 0);
    expect((await owner.show(next.id)).body.total_clicks).toBe(1);
  });

  it('returns 404 to one of two concurrent deletions', async () => {
    const link = await owner.aLink();
    const answers = await Promise.all([owner.remove(link.id), owner.remove(link.id)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 404]);
  });

  it('does not let a concurrent change restore a deleted link', async () => {
    const link = await owner.aLink();
    const [removed, changed] = await Promise.all([
      owner.remove(link.id),
      owner.update(link.id, { long_url: 'https://late.test/' }),
    ]);
    expect(removed.status).toBe(200);
    expect([200, 404]).toContain(changed.status);
    expect((await visit(service, link.alias)).status).toBe(404);
    expect(await traces(link.id)).toBe(0);
  });
});
