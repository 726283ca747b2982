import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expectExact } from '../support/exact-clicks';
import { aLink } from '../support/factories/links';
import { becomes } from '../support/health';
import { enginePid, recorderPid, statisticsPids, workerPids } from '../support/processes';
import { endAfterFile } from '../support/left-running';
import { eventually, startService, type Service } from '../support/service';
import { Traffic } from '../support/traffic';

const PAUSE_MS = 20;

type Pids = (service: Service) => number[];

const HUNG: readonly (readonly [string, number, Pids])[] = [
  ['web worker', 10, workerPids],
  ['statistics', 20, statisticsPids],
  ['recorder', 20, (service) => [recorderPid(service)]],
  ['engine', 20, (service) => [enginePid(service)]],
];

describe('a process that is suspended but not dead', () => {
  let service: Service;
  let traffic: Traffic;
  afterEach(async () => {
    await traffic.stop();
    await service.stop();
  });

  it('is replaced without losing a click', async () => {
    service = await startService({ embedded: true, env: { WEB_CONCURRENCY: '2' } });
    traffic = new Traffic(service.port, await aLink(service), 8, PAUSE_MS);
    // The first query starts the statistics process.
    await eventually('statistics are counted', async () => {
      const answer = await fetch(`${service.url}/stats/${traffic.link.alias}`);
      return answer.ok && statisticsPids(service).length === 1;
    });
    for (const [name, seconds, pids] of HUNG) {
      await traffic.moreRedirects(50);
      const before = pids(service);
      const victim = before[0] ?? 0;
      process.kill(victim, 'SIGSTOP');
      await eventually(`the ${name} process is replaced`, () => {
        try {
          const now = pids(service);
          return now.length === before.length && !now.includes(victim);
        } catch {
          return false;
        }
      });
      expect(service.log()).toContain(
        `The ${name} process has not responded for ${seconds} s; killing it`,
      );
      await becomes(service, 'healthy');
    }
    await traffic.moreRedirects(50);
    await expectExact(service, traffic);
  });

  it('from an earlier run does not stop a service that redirects, if it is the recorder', async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'curtail-orphan-'));
    endAfterFile(() => rmSync(dataDir, { recursive: true, force: true }));
    const earlier = await startService({ embedded: true, dataDir });
    const link = await aLink(earlier);
    const orphan = recorderPid(earlier);
    process.kill(orphan, 'SIGSTOP');
    await earlier.kill('SIGKILL');
    service = await startService({ embedded: true, dataDir });
    traffic = new Traffic(service.port, link, 2, PAUSE_MS);
    try {
      await eventually('the service is ready', () => service.log().includes('Ready: '));
      expect(service.log()).toContain(`recorder.lock is held by process ${orphan}`);
      expect(await becomes(service, 'degraded')).toMatchObject({
        checks: { recording: 'error' },
        hint: 'Clicks wait in the journal: see the log for why the recorder does not start',
      });
      await traffic.moreRedirects(50);
    } finally {
      process.kill(orphan, 'SIGKILL');
    }
    await becomes(service, 'healthy');
    await expectExact(service, traffic);
  });
});
