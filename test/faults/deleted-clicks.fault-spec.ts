import { setTimeout as sleep } from 'node:timers/promises';
import { ApiClient } from '../support/api-client';
import { databaseOf, totalClicks } from '../support/database';
import { journalEmpty, storedTokens } from '../support/exact-clicks';
import { becomes } from '../support/health';
import { jobsPid, recorderPid, workerPids } from '../support/processes';
import { eventually, type Service, startService } from '../support/service';
import { Traffic } from '../support/traffic';
import { verify } from '../support/verify';

type Victim = (service: Service) => readonly number[] | Promise<readonly number[]>;
const JOBS: Victim = async (service) => [await jobsPid(service)];
const WEB: Victim = workerPids;
const RECORDER: Victim = (service) => [recorderPid(service)];

/** Jobs first, because the job continues only after the lease of the killed process. */
const KILLS: readonly (readonly [Victim, 'before' | 'during' | 'after'])[] = [
  [JOBS, 'during'],
  [JOBS, 'after'],
  [WEB, 'before'],
  [WEB, 'during'],
  [WEB, 'after'],
  [RECORDER, 'before'],
  [RECORDER, 'during'],
  [RECORDER, 'after'],
];

interface Deletion {
  /** Visits that had ended before the request. */
  readonly before: ReadonlySet<string>;
  /** Visits that had begun before the response. */
  readonly begun: ReadonlySet<string>;
}

describe("the deletion of a link's clicks during many visits", () => {
  let service: Service;
  let owner: ApiClient;
  const traffics: Traffic[] = [];

  beforeAll(async () => {
    service = await startService({ embedded: true, env: { WEB_CONCURRENCY: '2' } });
    owner = await ApiClient.on(service);
  });
  afterAll(async () => {
    await Promise.all(traffics.map((traffic) => traffic.stop()));
    await service.stop();
  });

  /** Repeats the request until it succeeds. */
  async function deleteClicks(id: string, traffic?: Traffic): Promise<Deletion> {
    let before = new Set<string>();
    await eventually('the deletion succeeds', async () => {
      before = new Set(traffic?.redirected);
      const answer = await owner.call('delete', `/api/v1/urls/${id}/clicks`).catch(() => null);
      return answer?.status === 200;
    });
    return { before, begun: new Set(traffic?.sent) };
  }

  async function kill(victim: Victim): Promise<void> {
    for (const pid of await victim(service)) process.kill(pid, 'SIGKILL');
  }

  it('is neither undone nor drops later clicks if a process is killed', async () => {
    // The first job starts the jobs process.
    await deleteClicks((await owner.aLink()).id);
    const rounds: (Deletion & { readonly traffic: Traffic })[] = [];
    for (const [round, [victim, when]] of KILLS.entries()) {
      const traffic = new Traffic(service.port, await owner.aLink());
      traffics.push(traffic);
      const { id } = traffic.link;
      await traffic.moreRedirects(30 + round * 13);
      if (when === 'before') await kill(victim);
      const deleting = deleteClicks(id, traffic);
      if (when === 'during') {
        await sleep(2 * round);
        await kill(victim);
      }
      const deletion = await deleting;
      if (when === 'after') await kill(victim);
      await traffic.moreRedirects(30);
      await becomes(service, 'healthy');
      // New connections reach all web processes.
      for (let i = 0; i < 4; i++) {
        const { total_clicks: shown } = (await owner.show(id)).body as { total_clicks: number };
        const { body } = await owner.call('get', `/api/v1/stats/links/${id}`);
        const { total_clicks: counted } = (body as { summary: { total_clicks: number } }).summary;
        const possible = traffic.sent.size - deletion.before.size;
        expect(Math.max(shown, counted)).toBeLessThanOrEqual(possible);
      }
      await traffic.stop();
      rounds.push({ ...deletion, traffic });
    }
    expect(await verify(service.dataDir)).toMatchObject({ code: 0 });
    await journalEmpty(service.dataDir);
    const database = await databaseOf(service);
    const isCleared = async () =>
      (await database.collection('links').countDocuments({ clicks_clearing: true })) === 0;
    await eventually('the dropped clicks are removed', isCleared);
    for (const { before, begun, traffic } of rounds) {
      const stored = await storedTokens(database, traffic.link.id);
      const kept = new Set(stored);
      expect(stored.length - kept.size).toBe(0);
      expect(stored.filter((token) => before.has(token))).toEqual([]);
      const later = [...traffic.redirected].filter((token) => !begun.has(token));
      expect(later.length).toBeGreaterThan(0);
      expect(later.filter((token) => !kept.has(token))).toEqual([]);
      expect(await totalClicks(database, traffic.link.id)).toBe(stored.length);
    }
    await database.close();
    const { code, last } = await verify(service.dataDir);
    expect([code, last]).toEqual([0, expect.stringContaining(' 0 differences')]);
  });
});
