import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import mongoose from 'mongoose';
import { curtail } from '../support/curtail';
import { journalEmpty, storedTokens } from '../support/exact-clicks';
import { aLink } from '../support/factories/links';
import { recorderPid } from '../support/processes';
import { type Service, startService } from '../support/service';
import { Traffic } from '../support/traffic';

/** The acceptance run uses 20. */
const ROUNDS = Number(process.env.BACKUP_ROUNDS ?? '2');
/** Pause between visits for each of eight visitors, who together make 500 visits a second. */
const PAUSE_MS = 14;
jest.setTimeout(300_000 + ROUNDS * 60_000);

describe('a backup while visitors open links and callers create links', () => {
  const folder = mkdtempSync(join(tmpdir(), 'curtail-fault-'));
  const dataDir = join(folder, 'data');
  let service: Service;
  let traffic: Traffic;
  beforeAll(async () => {
    mkdirSync(dataDir, { mode: 0o700 });
    service = await startService({ dataDir, embedded: true });
    traffic = new Traffic(service.port, await aLink(service), 8, PAUSE_MS);
  });
  afterAll(async () => {
    await traffic.stop();
    await service.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  interface Promised {
    redirected: string[];
    made: string[];
  }

  /** Compares the original service's responses with the restored service's. */
  async function expectHeld(restored: string, promised: Promised): Promise<void> {
    const other = await startService({ dataDir: restored, embedded: true });
    const connection = await mongoose.createConnection(other.mongoUri).asPromise();
    try {
      await journalEmpty(restored);
      const tokens = await storedTokens(connection, traffic.link.id);
      const once = new Set(tokens);
      expect(promised.redirected.filter((token) => !once.has(token))).toEqual([]);
      expect(tokens.length - once.size).toBe(0);
      expect(tokens.filter((token) => !traffic.sent.has(token))).toEqual([]);
      const found = await connection
        .collection('links')
        .find<{ alias: string }>({ alias: { $in: promised.made } })
        .toArray();
      expect(found.length).toBe(promised.made.length);
    } finally {
      await connection.close();
      await other.stop();
    }
    expect(await curtail(restored, ['verify'])).toMatchObject({
      code: 0,
      out: expect.stringContaining(' 0 differences, 0 repaired\n'),
    });
  }

  it('contains every link and click that was responded to before, once', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      await traffic.moreRedirects(300 + round * 37);
      const promised = { redirected: [...traffic.redirected], made: [...traffic.made] };
      const archive = join(folder, `${round}.tar${round % 2 === 0 ? '' : '.gz'}`);
      const restored = join(folder, `restored-${round}`);
      expect(await curtail(dataDir, ['backup', archive])).toMatchObject({ code: 0, err: '' });
      expect(await curtail(restored, ['restore', archive])).toMatchObject({ code: 0 });
      await expectHeld(restored, promised);
      rmSync(restored, { recursive: true });
      rmSync(archive);
    }
    expect([...traffic.statuses.keys()].sort()).toEqual([201, 302]);
  });

  it('contains them even if the recorder is killed, and recording continues afterwards', async () => {
    await traffic.moreRedirects(300);
    const promised = { redirected: [...traffic.redirected], made: [...traffic.made] };
    const archive = join(folder, 'killed.tar');
    const backup = curtail(dataDir, ['backup', archive]);
    process.kill(recorderPid(service), 'SIGKILL');
    expect(await backup).toMatchObject({ code: 0, err: '' });
    const restored = join(folder, 'restored-killed');
    expect(await curtail(restored, ['restore', archive])).toMatchObject({ code: 0 });
    await expectHeld(restored, promised);
    await traffic.stop();
    await journalEmpty(dataDir);
  });
});
