import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { aLink } from '../support/client';
import { Crowd } from '../support/crowd';
import { becomes } from '../support/health';
import { expectExact } from '../support/reckoning';
import { scrape } from '../support/scrape';
import { eventually, startService, type Service } from '../support/service';

const FILLER_BYTES = 900 * 1024;

/** A disk of one megabyte at `path`; false where only a root may mount and we are none. */
function mountSmallDisk(path: string): boolean {
  mkdirSync(path, { recursive: true });
  const { status } = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', path]);
  return status === 0;
}

describe('a disk that is full', () => {
  let dataDir: string;
  let journal: string;
  let mounted = false;
  beforeAll(() => {
    dataDir = mkdtempSync(join(tmpdir(), 'curtail-disk-'));
    journal = join(dataDir, 'journal');
    mounted = mountSmallDisk(journal);
    if (!mounted) console.warn('Skipped: no small disk can be mounted here (needs root)');
  });
  afterAll(() => {
    if (mounted) spawnSync('umount', [journal]);
    rmSync(dataDir, { recursive: true, force: true });
  });

  it('delays no redirect and costs no click once there is room again', async () => {
    // Where nothing can be mounted the journal's own tests make its files fail instead.
    if (!mounted) return;
    const service: Service = await startService({ dataDir, env: { METRICS: 'true' } });
    const crowd = new Crowd(service.port, await aLink(service));
    await sleep(500);
    const filler = join(journal, 'filler');
    fill(filler);
    const backlog = async () => (await scrape(service)).get('curtail_journal_backlog_bytes') ?? 0;
    await eventually('clicks wait in memory', async () => (await backlog()) > 0);
    const before = crowd.redirected.size;
    await sleep(3000);
    expect(crowd.redirected.size).toBeGreaterThan(before);
    expect(service.log()).toContain('The click journal cannot be written');
    await becomes(service, 'healthy');
    rmSync(filler);
    await eventually('the disk takes them', async () => (await backlog()) === 0);
    await expectExact(service, crowd);
    expect(service.log()).toContain('The click journal is written again');
    expect(service.log()).not.toContain('Clicks are lost');
    expect(await service.stop()).toBe(0);
  });
});

/** Writes until not a byte fits any more. */
function fill(path: string): void {
  for (let size = FILLER_BYTES; size >= 1; size = Math.floor(size / 2)) {
    try {
      const written = existsSync(path) ? statSync(path).size : 0;
      writeFileSync(path, Buffer.alloc(size), { flag: 'a' });
      if (statSync(path).size > written) size *= 2;
    } catch {
      // Full for this size; a smaller piece may still fit.
    }
  }
}
