import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { keepVisiting } from '../../support/keep-visiting';
import { aLink } from '../../support/factories/links';
import { shorten, visit } from '../../support/http';
import { databaseOf, totalClicks } from '../../support/database';
import { journalEmpty } from '../../support/exact-clicks';
import { becomes } from '../../support/health';
import { eventually, startService, type Service } from '../../support/service';

function journalText(dataDir: string): string {
  const folder = join(dataDir, 'journal');
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(folder, entry.name), 'utf8'))
    .join('');
}

describe('a service that is killed', () => {
  let dataDir: string;
  beforeEach(() => {
    dataDir = mkdtempSync(join(tmpdir(), 'curtail-durable-'));
  });
  afterEach(() => rmSync(dataDir, { recursive: true, force: true }));

  it('records each click with a response once, even after SIGKILL during many visits', async () => {
    let service = await startService({ dataDir });
    const { database } = service;
    const link = await aLink(service);
    const visitors = keepVisiting(service, link.alias);
    await eventually('visitors are redirected', () => visitors.redirects() >= 90);
    await service.kill('SIGKILL');
    const answered = await visitors.stop();
    service = await startService({ dataDir, database });
    const connection = await databaseOf(service);
    await eventually(
      'all clicks are stored',
      async () => (await totalClicks(connection, link.id)) >= answered,
    );
    await journalEmpty(dataDir);
    const stored = await totalClicks(connection, link.id);
    await connection.close();
    await service.stop();
    // The visitor may not have received the response to a journaled click.
    expect(stored).toBeGreaterThanOrEqual(answered);
    expect(stored).toBeLessThanOrEqual(answered + 16);
    expect(answered).toBeGreaterThan(0);
  });

  it.each(['always', 'never'])('records every click with JOURNAL_SYNC=%s', async (mode) => {
    const service = await startService({ dataDir, env: { JOURNAL_SYNC: mode } });
    const link = await aLink(service);
    const visitors = keepVisiting(service, link.alias);
    await eventually('visitors are redirected', () => visitors.redirects() >= 100);
    const answered = await visitors.stop();
    await service.stop();
    const again = await startService({ dataDir, database: service.database });
    const connection = await databaseOf(again);
    expect(await totalClicks(connection, link.id)).toBe(answered);
    await connection.close();
    await again.stop();
  });

  it('keeps links and used clicks, also with the embedded engine', async () => {
    let service = await startService({ dataDir, embedded: true });
    const link = await aLink(service, { max_clicks: 3 });
    expect((await visit(service, link.alias)).status).toBe(302);
    expect((await visit(service, link.alias)).status).toBe(302);
    await service.kill('SIGKILL');
    service = await startService({ dataDir, embedded: true });
    expect((await visit(service, link.alias)).status).toBe(302);
    expect((await visit(service, link.alias)).status).toBe(410);
    expect((await shorten(service, { long_url: 'https://a.test', alias: link.alias })).status).toBe(
      409,
    );
    expect(await service.stop()).toBe(0);
  });
});

describe('a service that is stopped', () => {
  it('responds to requests in progress, empties the journal and leaves no address', async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'curtail-drain-'));
    const service = await startService({ dataDir });
    const link = await aLink(service);
    const visitors = keepVisiting(service, link.alias);
    await eventually('visitors are redirected', () => visitors.redirects() >= 50);
    const stopped = service.stop();
    const answered = await visitors.stop();
    // A timeout while stopping causes a nonzero exit code.
    expect(await stopped).toBe(0);
    expect(journalText(dataDir)).not.toMatch(/203\.\d+\.\d+\.\d+/);
    const again = await startService({ dataDir, database: service.database });
    const connection = await databaseOf(again);
    const stored = await totalClicks(connection, link.id);
    await connection.close();
    await again.stop();
    rmSync(dataDir, { recursive: true, force: true });
    expect(stored).toBe(answered);
  });

  it('runs until the journal is empty after a signal to its whole process group', async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'curtail-group-'));
    const service = await startService({ dataDir, embedded: true, group: true });
    const link = await aLink(service);
    for (let i = 0; i < 20; i++) await visit(service, link.alias);
    expect(await service.signalGroup('SIGINT')).toBe(0);
    expect(journalText(dataDir)).toBe('');
    const again = await startService({ dataDir, embedded: true });
    const answer = await visit(again, link.alias);
    expect(answer.status).toBe(302);
    await again.stop();
    rmSync(dataDir, { recursive: true, force: true });
  });
});

describe('a service without its database', () => {
  it('redirects cached links, and stores their clicks when the database is back', async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'curtail-away-'));
    const service = await startService({ dataDir, embedded: true });
    const [warm, limited, cold] = [
      await aLink(service),
      await aLink(service, { max_clicks: 5 }),
      await aLink(service),
    ];
    await visit(service, warm.alias);
    await visit(service, limited.alias);
    const engine = enginePid(service);
    process.kill(engine, 'SIGSTOP');
    try {
      expect((await visit(service, warm.alias)).status).toBe(302);
      await becomes(service, 'unhealthy');
      expect((await visit(service, warm.alias)).status).toBe(302);
    } finally {
      process.kill(engine, 'SIGKILL');
    }
    await eventually(
      'the engine is repaired',
      async () => (await visit(service, cold.alias)).status === 302,
    );
    expect((await visit(service, limited.alias)).status).toBe(302);
    await becomes(service, 'healthy');
    expect(await service.stop()).toBe(0);
    rmSync(dataDir, { recursive: true, force: true });
  });
});

function enginePid(service: Service): number {
  const found = readdirSync('/proc').find((name) => {
    if (!/^\d+$/.test(name)) return false;
    try {
      const line = readFileSync(`/proc/${name}/cmdline`, 'utf8');
      return line.includes('engine.process.js') && line.includes(service.dataDir);
    } catch {
      return false;
    }
  });
  if (found === undefined) throw new Error('There is no engine process');
  return Number(found);
}
