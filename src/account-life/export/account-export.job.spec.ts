import { appendFileSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { deflateRawSync } from 'node:zlib';
import JSZip from 'jszip';
import { aClick } from '../../../test/support/shared/click.factory';
import { columnsOfClicks } from '../../engines/click-engine/chunk/chunk-columns';
import type { Click } from '../../engines/click-engine/chunk/click';
import { TOTAL_ALONE } from '../../stores/imported-counts/imported-counts';
import type { Link } from '../../stores/links/link';
import { diskSpace } from '../../infrastructure/files/disk-space';
import { AccountExportJob, type ExportCursor } from './account-export.job';
import { ExportDiskError } from './export.errors';

jest.mock('../../infrastructure/files/disk-space', () => ({
  ...jest.requireActual<object>('../../infrastructure/files/disk-space'),
  diskSpace: jest.fn(() => Promise.resolve({ size: 10 * 1024 ** 3, free: 2 * 1024 ** 3 })),
}));

const LINKS = 10_030;
const idOf = (n: number): string => n.toString(16).padStart(24, '0');
const numberOf = (id: string): number => Number.parseInt(id, 16);
const visitor = (n: number): string => n.toString(16).padStart(24, 'b');

/** Every hundredth link has clicks, and every thousandth has counts. */
function clicksOf(id: string): Click[] {
  const n = numberOf(id);
  if (n % 100 !== 0) return [];
  return [3, 1, 2, 1].map((second, i) =>
    aClick({ at: second * 1000 + n, visitor: visitor((n + i) % 7), city: `City ${i}` }),
  );
}

describe('the job of an account export', () => {
  const folder = mkdtempSync(join(tmpdir(), 'curtail-export-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  let stored: { bytes: Buffer; sha256?: string } | null;
  let writes: number;

  beforeEach(() => {
    stored = null;
    writes = 0;
  });

  const links = {
    findAfter: (_: string, after: { id: string } | null, limit: number) => {
      const first = after === null ? 1 : numberOf(after.id) + 1;
      const count = Math.max(0, Math.min(limit, LINKS + 1 - first));
      const page = Array.from({ length: count }, (_, i) => ({
        id: idOf(first + i),
        createdAt: new Date(first + i),
        clicksDeletedAt: deletions.get(first + i) ?? null,
        updatedAt: null,
        qrStyle: null,
      }));
      return Promise.resolve(page as unknown as Link[]);
    },
  };
  const clicks = {
    async *byLink(ids: readonly string[]) {
      for (const linkId of ids) {
        const found = clicksOf(linkId);
        const chunks = [found.slice(0, 1), found.slice(1)].filter(({ length }) => length > 0);
        if (found.length > 0) yield { linkId, chunks: chunks.map((some) => columnsOfClicks(some)) };
        await Promise.resolve();
      }
    },
  };
  const counts = {
    async *findSeries(ids: readonly string[]) {
      const about = { ownerId: 'o', importId: 'i', source: 'csv', clicks: 2 };
      for (const linkId of ids) {
        if (numberOf(linkId) % 1000 === 0) yield { ...TOTAL_ALONE, ...about, linkId };
        await Promise.resolve();
      }
    },
  };
  /** When the clicks of the link with this number were deleted; they are still stored. */
  const deletions = new Map<number, Date>();
  afterEach(() => deletions.clear());

  const files = {
    find: () => Promise.resolve(new Map(stored?.sha256 === undefined ? [] : [['job', stored]])),
    async write(_: string, __: string, pieces: Readable) {
      writes += 1;
      stored = { bytes: Buffer.concat(await pieces.toArray()) };
    },
    finish(_: string, sha256: string) {
      stored = stored && { ...stored, sha256 };
      return Promise.resolve();
    },
  };
  const newJob = () =>
    new AccountExportJob(
      links as never,
      { countByOwner: () => Promise.resolve(LINKS) } as never,
      {
        toItems: (page: readonly Link[]) =>
          Promise.resolve(
            page.map(({ id, clicksDeletedAt }) => ({
              ...{ id, alias: `a${numberOf(id)}` },
              ...(clicksDeletedAt && { clicks_deleted_at: clicksDeletedAt.toISOString() }),
            })),
          ),
      } as never,
      counts as never,
      clicks as never,
      { refresh: () => Promise.resolve() } as never,
      files as never,
      { dir: folder } as never,
    );

  /** @param disturb called before each step */
  async function run(
    id: string,
    disturb: (cursor: ExportCursor | null) => void = () => undefined,
    repeats = 1,
  ): Promise<Map<string, string>> {
    let [cursor, done]: [ExportCursor | null, number] = [null, 0];
    const input = { account: deflateRawSync('{"user":{}}\n').toString('base64') };
    do {
      disturb(cursor);
      let step: Awaited<ReturnType<AccountExportJob['step']>> | undefined;
      for (let tries = 0; tries < repeats; tries++) {
        step = await newJob().step({
          ...{ id, ownerId: idOf(1), input, cursor, done },
          ...{ startedAt: new Date(0), files: [], signal: new AbortController().signal },
          checkLease: () => undefined,
        });
      }
      done += step?.done ?? 0;
      cursor = step?.cursor ?? null;
    } while (cursor !== null);
    expect(done).toBe(LINKS);
    expect(readdirSync(join(folder, 'exports'))).not.toContain(id);
    const zip = await JSZip.loadAsync(stored?.bytes ?? Buffer.alloc(0));
    const read = Object.values(zip.files).map(async (file): Promise<[string, string]> => [
      file.name,
      await file.async('string'),
    ]);
    return new Map(await Promise.all(read));
  }

  it('writes links, counts and clicks in order, with visitor numbers', async () => {
    const found = await run('job');
    expect([...found.keys()]).toEqual([
      ...['manifest.json', 'README.txt', 'account.json', 'links.ndjson', 'counts.ndjson'],
      'clicks/00001.ndjson',
    ]);
    const manifest = JSON.parse(found.get('manifest.json') ?? '') as { counts: object };
    expect(manifest.counts).toEqual({ links: LINKS, clicks: 400, imported_clicks: 20 });
    const lines = (found.get('clicks/00001.ndjson') ?? '').split('\n').slice(0, 4);
    const first = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(first.map(({ url_id, time, city }) => [url_id, time, city])).toEqual([
      [idOf(100), '1970-01-01T00:00:01.100Z', 'City 1'],
      [idOf(100), '1970-01-01T00:00:01.100Z', 'City 3'],
      [idOf(100), '1970-01-01T00:00:02.100Z', 'City 2'],
      [idOf(100), '1970-01-01T00:00:03.100Z', 'City 0'],
    ]);
    expect(new Set(first.slice(0, 2).map(({ visitor: number }) => number))).toEqual(
      new Set([0, 1]),
    );
    const links = (found.get('links.ndjson') ?? '').split('\n');
    expect(links).toHaveLength(LINKS + 1);
    expect(JSON.parse(links[99] ?? '')).toMatchObject({
      ...{ alias: 'a100', total_clicks: 4, last_click: '1970-01-01T00:00:03.100Z' },
    });
  });

  it('omits deleted clicks that are still stored, and their counts', async () => {
    deletions.set(1000, new Date(1000 + 3000)).set(2000, new Date(2000 + 2999));
    const found = await run('job');
    const clicks = (found.get('clicks/00001.ndjson') ?? '').split('\n');
    const times = clicks.filter((line) => line.includes(idOf(1000)) || line.includes(idOf(2000)));
    expect(times.map((line) => JSON.parse(line) as object)).toMatchObject([
      { url_id: idOf(2000), time: '1970-01-01T00:00:05.000Z' },
    ]);
    expect(found.get('counts.ndjson')).not.toContain(idOf(1000));
    const links = (found.get('links.ndjson') ?? '').split('\n');
    expect(links[999]).not.toContain('clicks_deleted_at');
    const figures = [links[999], links[1999]].map((line = '') => JSON.parse(line) as object);
    expect(figures).toMatchObject([
      { total_clicks: 0, last_click: null },
      { total_clicks: 1, last_click: '1970-01-01T00:00:05.000Z' },
    ]);
  });

  it("fails if less than twice the journal's reserve of 2 GiB remains free", async () => {
    jest.mocked(diskSpace).mockResolvedValueOnce({ size: 99 * 1024 ** 3, free: 4 * 1024 ** 3 - 1 });
    await expect(run('full')).rejects.toThrow(ExportDiskError);
    expect(new ExportDiskError().status).toBeLessThan(500);
  });

  it('writes the same files after kills, repeated steps and the loss of its folder', async () => {
    const whole = await run('job');
    stored = null;
    const killed = await run('killed', (cursor) => {
      // A killed process leaves lines that no cursor counts.
      if (cursor?.stage !== 'collect') return;
      const path = join(folder, 'exports', 'killed');
      for (const name of readdirSync(path)) appendFileSync(join(path, name), '{"broken');
    });
    expect(killed).toEqual(whole);
    stored = null;
    expect(await run('twice', undefined, 2)).toEqual(whole);
    expect(writes).toBe(3);
    stored = null;
    let isLost = false;
    const moved = await run('moved', (cursor) => {
      if (isLost || cursor?.stage !== 'clicks') return;
      isLost = true;
      rmSync(join(folder, 'exports', 'moved'), { recursive: true });
    });
    expect([isLost, moved]).toEqual([true, whole]);
  });
});
