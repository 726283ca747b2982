import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import request from 'supertest';
import { JournalWriter } from '../../../src/clicks/journal/journal.writer';
import { aKey, aVerifiedAccount } from '../../support/factories/accounts';
import { aClickEvent } from '../../support/shared/click-event';
import { curtail } from '../../support/curtail';
import { journalEmpty } from '../../support/exact-clicks';
import { bearer, post, visit } from '../../support/http';
import { OwnEngine } from '../../support/own-engine';
import { QuietLogger } from '../../support/shared/quiet-logger';
import { type Service, startService } from '../../support/service';

const copy = (dataDir: string, args: string[], env?: Record<string, string>) =>
  curtail(dataDir, ['copy', ...args], env);

describe('curtail copy', () => {
  const folder = mkdtempSync(join(tmpdir(), 'curtail-copy-'));
  const mongodb = new OwnEngine();
  beforeAll(() => mongodb.start());
  afterAll(async () => {
    await mongodb.remove();
    rmSync(folder, { recursive: true, force: true });
  });

  async function seen(service: Service, key: string): Promise<object> {
    await journalEmpty(service.dataDir);
    const list = await request(service.url).get('/api/v1/urls').set(bearer(key)).expect(200);
    const statistics = await request(service.url)
      .get('/api/v1/stats?scope=all&group_by=country,browser')
      .set(bearer(key))
      .expect(200);
    const { summary, metrics } = statistics.body;
    // Each service has a separate port and base URL.
    const urls = JSON.parse(JSON.stringify(list.body).replaceAll(/localhost:\d+/g, '')) as object;
    return { urls, summary, metrics };
  }

  it('copies all data to a MongoDB and back, including pending clicks', async () => {
    const dataDir = join(folder, 'data');
    mkdirSync(dataDir);
    let service = await startService({ dataDir, embedded: true });
    const account = await aVerifiedAccount(service);
    const key = await aKey(service, account, ['admin:all']);
    const { body: link } = await post(service, '/api/v1/shorten', {
      long_url: 'https://example.com/moved',
      alias: 'moved',
      max_clicks: 9,
    }).set(bearer(key));
    const visitor = { 'X-Forwarded-For': '81.2.69.142', 'User-Agent': 'Mozilla/5.0 Firefox/130.0' };
    for (let i = 0; i < 3; i += 1) await visit(service, 'moved', visitor).expect(302);
    const before = await seen(service, key);
    expect(before).toMatchObject({ summary: { total_clicks: 3, unique_clicks: 1 } });

    await expect(copy(dataDir, ['--to', mongodb.uri])).resolves.toMatchObject({
      code: 1,
      err: expect.stringMatching(/^A service uses .*: stop it first\n$/),
    });
    await service.stop();
    const journal = join(dataDir, 'journal');
    const writer = new JournalWriter({ directory: journal, logger: new QuietLogger() });
    const waiting = { linkId: link.id, ip: visitor['X-Forwarded-For'], slot: false };
    for (let i = 0; i < 2; i += 1) {
      const event = aClickEvent({ ...waiting, at: Date.now(), userAgent: visitor['User-Agent'] });
      writer.append(event, () => undefined);
    }
    writer.close();

    const there = await copy(dataDir, ['--to'], { MONGODB_URI: mongodb.uri });
    expect(there).toMatchObject({ code: 0, out: expect.stringMatching(/^links: 1 document,/m) });
    expect(there.out).toMatch(/copy: \d+ collections, \d+ documents, no differences\n$/);
    expect(there.err).toMatch(/Journal files with clicks in .*: 1\./);
    expect(there.err).not.toContain('visitor key');

    await expect(copy(dataDir, ['--to', mongodb.uri])).resolves.toMatchObject({
      code: 1,
      err: expect.stringContaining('The target is not empty: it has documents in accounts'),
    });

    service = await startService({
      dataDir,
      mongoUri: mongodb.uri,
      env: {
        JWT_SECRET: readFileSync(join(dataDir, 'jwt-secret'), 'utf8').trim(),
        VISITOR_KEY: undefined,
      },
    });
    const after = await seen(service, key);
    expect(after).toMatchObject({ summary: { total_clicks: 5, unique_clicks: 1 } });
    const { email, password } = account;
    await post(service, '/auth/login', { email, password }).expect(200);
    const session = request(service.url).get('/auth/me').set(bearer(account.accessToken));
    expect((await session).status).toBe(200);
    await visit(service, 'moved', visitor).expect(302);
    const there2 = await seen(service, key);
    expect(there2).toMatchObject({ summary: { total_clicks: 6, unique_clicks: 1 } });
    await service.stop();

    // Copies back to a folder that has this machine's visitor key.
    const back = join(folder, 'back');
    mkdirSync(back, { mode: 0o700 });
    const without = await copy(back, ['--from', mongodb.uri], { VISITOR_KEY: 'k'.repeat(32) });
    expect(without).toMatchObject({ code: 0, err: expect.stringContaining('visitor key') });
    rmSync(back, { recursive: true });
    mkdirSync(back, { mode: 0o700 });
    copyFileSync(join(dataDir, 'visitor-key'), join(back, 'visitor-key'));
    const returned = await copy(back, ['--from', mongodb.uri]);
    expect(returned).toMatchObject({ code: 0, err: expect.not.stringContaining('visitor key') });
    service = await startService({ dataDir: back, embedded: true });
    expect(await seen(service, key)).toEqual(there2);
    await visit(service, 'moved', visitor).expect(302);
    expect(await seen(service, key)).toMatchObject({
      summary: { total_clicks: 7, unique_clicks: 1 },
    });
    await service.stop();
  });

  it.each([
    [[], 'Use --to, --from or --clicks'],
    [['--over'], 'Use --to, --from or --clicks'],
    [['--to'], '--to needs an address'],
    [['--to', 'http://a'], 'must start with mongodb://'],
    [['--from', 'mongodb://a', 'mongodb://b'], 'Only one address is allowed'],
  ])('with %j prints its usage', async (args, reason) => {
    const end = await copy(folder, args);
    expect(end).toMatchObject({ code: 2, out: '' });
    expect(end.err).toContain(reason);
    expect(end.err).toContain('Usage: curtail copy --to');
  });

  it('reports that there is no source or no target', async () => {
    await expect(copy(join(folder, 'none'), ['--to', mongodb.uri])).resolves.toMatchObject({
      code: 1,
      err: expect.stringContaining('There is no embedded database in'),
    });
    const secret = 'mongodb://somebody:hidden-word@127.0.0.1:9/curtail';
    const end = await copy(join(folder, 'new'), ['--from', secret]);
    expect(end).toMatchObject({ code: 1, err: expect.stringContaining('ECONNREFUSED') });
    expect(end.err + end.out).not.toContain('hidden-word');
    await expect(copy(folder, ['--help'])).resolves.toMatchObject({ code: 0, err: '' });
  });
});
