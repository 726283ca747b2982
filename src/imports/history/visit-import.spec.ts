import { VisitImport } from './visit-import';

const VISIT = { alias: 'spring', at: 1000, ip: '', userAgent: '', referrer: null };
const IMPORT = {
  ...{ id: 'i', ownerId: 'o', source: 'yourls_sql', options: { history: 'all' } },
  ...{ createdAt: new Date(0), hasClicks: true },
};

describe('A page of imported visits', () => {
  it("is recorded with the destination's campaign", async () => {
    const row = {
      ...{ row: 1, part: 0, linkId: 'l', verdict: 'created' },
      longUrl: 'https://a.test/?page=1&utm_campaign=winter#top',
    };
    const createClick = jest.fn(() => Promise.resolve({ at: 1000 }));
    const record = jest.fn();
    const visits = new VisitImport(
      {} as never,
      { claimed: () => Promise.resolve(new Map([['spring', row]])), addVisits: jest.fn() } as never,
      {} as never,
      { takePage: jest.fn() } as never,
      { createClick, record } as never,
    );
    const visitPages = {
      count: () => Promise.resolve(1),
      page: () => Promise.resolve({ visits: [VISIT], next: null }),
    };
    const start = { page: 0, position: null, part: 0, taken: 0, dropped: 0 };
    const { progress } = await visits.takePage(
      IMPORT as never,
      { visits: visitPages } as never,
      start,
      { checkLease: () => undefined },
    );
    expect(progress.taken).toBe(1);
    expect(createClick).toHaveBeenCalledWith(VISIT, 1000, 'utm_campaign=winter');
    expect(record).toHaveBeenCalledTimes(1);
  });
});
