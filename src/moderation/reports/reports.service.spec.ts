import { RateLimitError } from '../../auth/access.errors';
import { RateLimiter } from '../../auth/rate-limit/rate-limiter';
import type { AppLog } from '../../common/log';
import { LimitMeter } from '../../infrastructure/meters/meters';
import { MemoryRateLimitStore } from '../../infrastructure/rate-limit-store/memory.rate-limit-store';
import type { LinkCache } from '../../links/cache/link-cache';
import type { NewReportEntry, SubmissionOutcome } from './report';
import { TooManyReportsError } from './reports.errors';
import type { ReportsRepository } from './reports.repository';
import {
  type ReportedAddresses,
  type ReportNoticesService,
  ReportsService,
} from './reports.service';

const silent: AppLog = { debug: () => 0, info: () => 0, warn: () => 0, error: () => 0 };
const DAY_SECONDS = 86_400;

/** Addresses in these tests consist of an owner and a link, such as `owner/1`. `-` means no owner. */
const linkAt = (address: string) => ({
  id: address,
  ownerId: address.startsWith('-') ? null : (address.split('/')[0] ?? null),
  blocked: address.endsWith('blocked') ? { reason: '', at: new Date(0), by: 'admin' } : null,
});

describe('The number of links that are reported', () => {
  let open: Set<string>;
  let othersOpen: number;
  let now: number;
  let service: ReportsService;

  beforeEach(() => {
    open = new Set();
    [othersOpen, now] = [0, 0];
    const reports = {
      add: (entries: readonly NewReportEntry[]) => {
        for (const { linkId } of entries) open.add(linkId);
        return Promise.resolve(true);
      },
      countOpen: (enough: number) => Promise.resolve(Math.min(enough, othersOpen + open.size)),
      openCounts: (ids: readonly string[]) =>
        Promise.resolve(new Map(ids.filter((id) => open.has(id)).map((id) => [id, 1]))),
    };
    const store = new MemoryRateLimitStore(() => now, { clients: 64, others: 64 });
    service = new ReportsService(
      reports as unknown as ReportsRepository,
      { keyFromText: (address: string) => address } as unknown as ReportedAddresses,
      { find: (key: string) => Promise.resolve(linkAt(key)) } as unknown as LinkCache,
      { tellSoon: () => undefined } as unknown as ReportNoticesService,
      new RateLimiter(store, new LimitMeter()),
      silent,
    );
  });

  const submit = (
    addresses: readonly string[],
    accountId: string | null,
    clientKey = '203.0.113.1',
  ): Promise<SubmissionOutcome> =>
    service.submit({
      items: addresses.map((address) => ({
        address,
        reason: 'spam',
        details: null,
        vector: null,
      })),
      reporter: { accountId, email: null, org: null },
      clientKey,
    });
  const linksBy = (owner: string, count: number, from = 0): string[] =>
    Array.from({ length: count }, (_, i) => `${owner}/${from + i}`);

  it('is at most 200 a day for an account', async () => {
    await submit(linksBy('-a', 100), 'ada');
    await submit(linksBy('-b', 99), 'ada');
    const refused = submit(linksBy('-c', 2), 'ada');
    await expect(refused).rejects.toBeInstanceOf(RateLimitError);
    await expect(refused).rejects.toMatchObject({ headers: { 'Retry-After': `${DAY_SECONDS}` } });
    expect(open.size).toBe(199);
    await submit(linksBy('-c', 1), 'ada');
    await submit(linksBy('-d', 1), 'bob');
    now = DAY_SECONDS * 1000;
    await submit(linksBy('-e', 100), 'ada');
    expect(open.size).toBe(301);
  });

  it('is at most 100 a day for a client address without an account', async () => {
    for (let i = 0; i < 4; i++) await submit(linksBy('-a', 25, 25 * i), null);
    await expect(submit(['-b/1'], null)).rejects.toBeInstanceOf(RateLimitError);
    await submit(['-b/1'], null, '203.0.113.2');
    await submit(['-c/1'], 'ada');
  });

  it('is at most 200 a day for the owner of the links, from all callers', async () => {
    await submit(linksBy('owner', 100), 'ada');
    await submit(linksBy('owner', 100, 100), 'bob');
    await expect(submit(['owner/new'], null)).rejects.toBeInstanceOf(RateLimitError);
    await submit(['another/new'], null);
  });

  it('does not include links with an open report or blocked links', async () => {
    await submit(linksBy('owner', 100), 'ada');
    await submit(linksBy('owner', 100, 100), 'ada');
    await submit([...linksBy('owner', 200), 'owner/blocked'], 'ada');
    expect(open.size).toBe(200);
  });

  it('does not include a request that another limit rejects', async () => {
    await submit(linksBy('full', 100), 'bob');
    await submit(linksBy('full', 100, 100), 'bob');
    await submit(linksBy('-a', 100), 'ada');
    const mixed = [...linksBy('owner', 99), 'full/new'];
    await expect(submit(mixed, 'ada')).rejects.toBeInstanceOf(RateLimitError);
    expect(open.has('owner/0')).toBe(false);
    await submit(linksBy('owner', 100), 'ada');
    await submit(linksBy('owner', 100, 100), 'carol');
    await expect(submit(['owner/new'], 'dan')).rejects.toBeInstanceOf(RateLimitError);
  });

  it('does not grow while 10,000 reports are open', async () => {
    othersOpen = 9_901;
    await expect(submit(linksBy('-a', 100), 'ada')).rejects.toBeInstanceOf(TooManyReportsError);
    await submit(linksBy('-a', 99), 'ada');
    await submit(linksBy('-a', 99), 'ada');
    await expect(submit(['-b/1'], 'ada')).rejects.toBeInstanceOf(TooManyReportsError);
    othersOpen = 0;
    await submit(linksBy('-b', 100), 'ada');
  });
});
