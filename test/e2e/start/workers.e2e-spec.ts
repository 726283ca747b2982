import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { aLink } from '../../support/factories/links';
import { visit } from '../../support/http';
import { databaseOf, totalClicks } from '../../support/database';
import { clicksInChunks } from '../../support/click-store-reading';
import { threadNiceness, workerPids } from '../../support/processes';
import { eventually, startService, type Service } from '../../support/service';

describe('two workers', () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService({ env: { WEB_CONCURRENCY: '2' } });
  });
  afterAll(() => service.stop());

  it('share the port, write one journal each, and count every click', async () => {
    const link = await aLink(service);
    const answers = await Promise.all(Array.from({ length: 60 }, () => visit(service, link.alias)));
    expect(answers.every(({ status }) => status === 302)).toBe(true);
    const writers = new Set(
      readdirSync(join(service.dataDir, 'journal')).map((name) => Number(name.split('.')[0])),
    );
    expect([...writers].filter((pid) => !workerPids(service).includes(pid))).toEqual([]);
    const connection = await databaseOf(service);
    await eventually('all are stored', async () => (await totalClicks(connection, link.id)) >= 60);
    expect(await totalClicks(connection, link.id)).toBe(60);
    expect(await clicksInChunks(connection, link.id)).toBe(60);
    await connection.close();
  });

  it("have only V8's four threads, which have a lower priority than the event loop", () => {
    for (const pid of workerPids(service)) {
      const [loop, delays, ...others] = threadNiceness(pid);
      expect([loop, delays]).toEqual([0, 0]);
      expect(others.slice(0, 4)).toEqual([10, 10, 10, 10]);
      expect(others.slice(4).filter((niceness) => niceness !== 0)).toEqual([]);
    }
  });

  it('allow exactly max_clicks visitors together', async () => {
    const link = await aLink(service, { max_clicks: 9 });
    const answers = await Promise.all(Array.from({ length: 40 }, () => visit(service, link.alias)));
    expect(answers.filter(({ status }) => status === 302)).toHaveLength(9);
    expect(answers.filter(({ status }) => status === 410)).toHaveLength(31);
  });

  it('cannot start on a port that is in use, and say so', async () => {
    const env = { WEB_CONCURRENCY: '2', PORT: String(service.port) };
    const started = startService({ env });
    await expect(started).rejects.toThrow(/address is in use/);
    expect((await visit(service, 'nobody')).status).toBe(404);
  });
});
