import request from 'supertest';
import { aLink } from '../../support/factories/links';
import { anAddress, shorten, visit } from '../../support/http';
import { workerPids } from '../../support/processes';
import { scrape } from '../../support/scrape';
import { eventually, startService, type Service } from '../../support/service';

const FAILURES = 'curtail_database_command_failures_total';

describe('GET /metrics', () => {
  it('does not exist unless METRICS=true', async () => {
    const service = await startService();
    const answer = await request(service.url).get('/metrics').set('Accept', 'application/json');
    expect(answer.status).toBe(404);
    expect(answer.body).toMatchObject({ code: 'not_found' });
    await service.stop();
  });

  describe('with one web process', () => {
    let service: Service;
    beforeAll(async () => {
      service = await startService({ env: { METRICS: 'true' } });
    });
    afterAll(() => service.stop());

    it('counts visits by result, durations, the cache, limits and the database', async () => {
      // At start, processes may create the same document, and one of the commands then fails.
      const before = await scrape(service);
      const link = await aLink(service);
      const spent = await aLink(service, { max_clicks: 1 });
      const bots = await aLink(service, { block_bots: true });
      const locked = await aLink(service, { password: 'abc.12345' });
      for (let i = 0; i < 3; i++) await visit(service, link.alias);
      await request(service.url).head(`/${link.alias}`).redirects(0);
      await visit(service, 'nobody-has-this');
      await visit(service, spent.alias);
      await visit(service, spent.alias);
      await visit(service, bots.alias, { 'User-Agent': 'Googlebot/2.1' });
      await visit(service, locked.alias);
      await visit(service, locked.alias, { 'X-Link-Password': 'abc.12345' });
      const one = anAddress();
      for (let i = 0; i < 21; i++) await shorten(service, { long_url: 'https://a.test/' }, one);

      const found = await scrape(service);
      const outcome = (name: string) => found.get(`curtail_redirects_total{outcome="${name}"}`);
      expect(outcome('redirected')).toBe(5);
      expect(outcome('looked')).toBe(1);
      expect(outcome('unknown')).toBe(1);
      expect(outcome('gone')).toBe(1);
      expect(outcome('forbidden')).toBe(1);
      expect(outcome('password')).toBe(1);
      expect(outcome('unavailable')).toBe(0);
      expect(found.get('curtail_redirect_duration_seconds_count')).toBe(5);
      expect(found.get('curtail_redirect_duration_seconds_bucket{le="+Inf"}')).toBe(5);
      expect(found.get('curtail_link_cache_lookups_total{result="hit"}')).toBeGreaterThan(0);
      expect(found.get('curtail_link_cache_lookups_total{result="miss"}')).toBeGreaterThan(0);
      expect(found.get('curtail_requests_limited_total{limit="links.create"}')).toBe(1);
      expect(found.get('curtail_database_command_duration_seconds_count')).toBeGreaterThan(5);
      expect(found.get(FAILURES)).toBe(before.get(FAILURES));
      expect(found.get('curtail_web_processes')).toBe(1);
    });

    it('contains the journal and the batches that the recorder stores', async () => {
      const link = await aLink(service);
      const before = (await scrape(service)).get('curtail_recorder_clicks_total') ?? NaN;
      for (let i = 0; i < 7; i++) await visit(service, link.alias);
      await eventually('the clicks are recorded, and their files removed', async () => {
        const now = await scrape(service);
        const clicks = now.get('curtail_recorder_clicks_total') ?? NaN;
        return clicks >= before + 7 && now.get('curtail_journal_files') === 0;
      });
      const found = await scrape(service);
      expect(found.get('curtail_recorder_up')).toBe(1);
      expect(found.get('curtail_journal_bytes')).toBe(0);
      expect(found.get('curtail_journal_oldest_seconds')).toBe(0);
      expect(found.get('curtail_recorder_batches_total')).toBeGreaterThan(0);
      expect(found.get('curtail_recorder_last_batch_clicks')).toBeGreaterThan(0);
    });

    it('contains no alias, address or destination', async () => {
      const link = await aLink(service, { long_url: 'https://destination.test/' });
      await visit(service, link.alias);
      const { text } = await request(service.url).get('/metrics');
      expect(text).not.toContain(link.alias);
      expect(text).not.toMatch(/203\.\d+\.\d+\.\d+|destination/);
    });
  });

  it('is the same from every worker, and includes the counts of a worker that has exited', async () => {
    const service = await startService({ env: { METRICS: 'true', WEB_CONCURRENCY: '2' } });
    const redirected = async () =>
      (await scrape(service)).get('curtail_redirects_total{outcome="redirected"}');
    const link = await aLink(service);
    for (let i = 0; i < 20; i++) await visit(service, link.alias);
    // Uses several connections, which alternate between workers.
    expect(await redirected()).toBe(20);
    expect(await redirected()).toBe(20);
    expect((await scrape(service)).get('curtail_web_processes')).toBe(2);
    const [pid] = workerPids(service);
    process.kill(pid ?? 0, 'SIGKILL');
    await eventually('the worker is replaced', async () => {
      const pids = workerPids(service);
      if (pids.length !== 2 || pids.includes(pid ?? 0)) return false;
      return (await scrape(service)).get('curtail_web_processes') === 2;
    });
    expect(await redirected()).toBe(20);
    await visit(service, link.alias);
    expect(await redirected()).toBe(21);
    await service.stop();
  });
});
