import { readFileSync } from 'node:fs';
import { statisticsPids, workerPids } from '../../support/processes';
import { scrape } from '../../support/scrape';
import { eventually } from '../../support/shared/eventually';
import { clicks, RANGE } from '../../support/statistics/hand-counted';
import { aSession, type Session, StatisticsWorld } from '../../support/statistics/statistics-world';

let world: StatisticsWorld;
let user: Session;
let id: string;
beforeAll(async () => {
  world = await StatisticsWorld.open({ WEB_CONCURRENCY: '2', METRICS: 'true' });
});
afterAll(() => world.close());
beforeEach(async () => {
  user = aSession();
  id = await world.link({ owner: user.id });
  await world.record(id, clicks);
});

const ask = (query: object = {}) =>
  world.get(`/api/v1/stats/links/${id}`, { ...RANGE, ...query }, user);

async function statisticsPid(): Promise<number> {
  await eventually(() => statisticsPids(world.service).length === 1);
  return statisticsPids(world.service)[0] ?? NaN;
}

describe('The statistics process', () => {
  it('starts with the first query, and is shared by all web workers', async () => {
    expect(statisticsPids(world.service)).toEqual([]);
    expect((await scrape(world.service)).get('curtail_statistics_up')).toBe(1);
    // Separate connections reach both workers.
    const answers = await Promise.all(Array.from({ length: 12 }, () => ask()));
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 12 }, () => 200));
    expect(workerPids(world.service)).toHaveLength(2);
    expect(statisticsPids(world.service)).toHaveLength(1);
    const found = await scrape(world.service);
    expect(found.get('curtail_statistics_up')).toBe(1);
    expect(found.get('curtail_statistics_counted_total')).toBeGreaterThan(0);
    expect(found.get('curtail_statistics_waiting')).toBe(0);
  });

  it('fails only the running queries with 503 when it ends unexpectedly', async () => {
    await ask();
    const pid = await statisticsPid();
    process.kill(pid, 'SIGSTOP');
    const inFlight = [ask(), ask({ group_by: 'os' })].map((question) => question.then());
    for (let i = 0; i < 10; i += 1) expect((await world.get(`/${id}+`)).status).toBe(200);
    process.kill(pid, 'SIGKILL');
    for (const answer of await Promise.all(inFlight)) {
      expect(answer).toMatchObject({ status: 503, body: { code: 'internal_error' } });
      expect(answer.headers['retry-after']).toBe('10');
    }
    const again = await ask();
    expect(again).toMatchObject({ status: 200, body: { summary: { total_clicks: 4 } } });
    expect(await statisticsPid()).not.toBe(pid);
  });

  it('receives the database and its memory limit, and no other secret', async () => {
    await ask();
    const environment = readFileSync(`/proc/${await statisticsPid()}/environ`, 'utf8');
    const names = environment.split('\0').map((entry) => entry.split('=', 1)[0] ?? '');
    expect(names.filter((name) => name.startsWith('CURTAIL_'))).toEqual(['CURTAIL_STATISTICS']);
    expect(environment).not.toContain('a secret of the end-to-end tests');
  });
});
