import { VisitImport } from './visit-import';

const VISIT = { alias: 'spring', at: 1000, ip: '', userAgent: '', referrer: null };
const IMPORT = {
  ...{ id: 'i', ownerId: 'o', source: 'yourls_sql', options: { history: 'all' } },
  ...{ createdAt: new Date(0), hasClicks: true },
};
const ROW = {
  ...{ row: 1, part: 0, linkId: 'l', verdict: 'created', notes: [], message: null },
  longUrl: 'https://a.test/?page=1&utm_campaign=winter#top',
};

function visitImport(row: object, cleared: readonly string[] = []) {
  const [record, createClick, notePartial] = [jest.fn(), jest.fn(() => ({ at: 1000 })), jest.fn()];
  const drop = jest.fn();
  const rows = {
    claimed: () => Promise.resolve(new Map([['spring', row]])),
    rowsByVisitsKey: () => Promise.resolve(new Map([['k', row]])),
    historiesAfter: () => Promise.resolve([{ row, total: 7, taken: 0 }]),
    ...{ addVisits: jest.fn(), notePartial },
  };
  const visits = new VisitImport(
    {} as never,
    rows as never,
    { taken: () => Promise.resolve(new Map([['l', 3]])) } as never,
    { takePage: jest.fn(), drop } as never,
    {
      clearedAmong: () => Promise.resolve(new Set(cleared)),
      missing: () => Promise.resolve([]),
    } as never,
    { createClick, record } as never,
  );
  const takePage = (page: object) =>
    visits.takePage(
      IMPORT as never,
      {
        visits: {
          count: () => Promise.resolve(1),
          page: () => Promise.resolve({ ...page, next: null }),
        },
      } as never,
      { page: 0, position: null, part: 0, taken: 0, dropped: 0 },
      { checkLease: () => undefined },
    );
  return { visits, takePage, record, createClick, notePartial, drop };
}

describe('A page of imported visits', () => {
  it("is recorded with the destination's campaign", async () => {
    const { takePage, record, createClick } = visitImport(ROW);
    const { progress } = await takePage({ visits: [VISIT] });
    expect(progress.taken).toBe(1);
    expect(createClick).toHaveBeenCalledWith(VISIT, 1000, 'utm_campaign=winter');
    expect(record).toHaveBeenCalledTimes(1);
  });

  it('leaves no counts of a link whose clicks were deleted meanwhile', async () => {
    const { takePage, drop } = visitImport(ROW, ['l']);
    await takePage({ visits: [VISIT] });
    expect(drop).toHaveBeenCalledWith('o', ['l']);
  });

  it.each([
    ['of a link that an earlier import created', { verdict: 'unchanged' }],
    ['of a link whose clicks were deleted', { notes: ['history_partial'] }],
  ])('%s is neither recorded nor counted as dropped', async (_, traits) => {
    const { takePage, record } = visitImport({ ...ROW, ...traits });
    const sums = { visits: [], counts: [{ key: 'k', counts: {}, clicks: 4, unread: 1 }] };
    for (const page of [{ visits: [VISIT] }, sums]) {
      expect((await takePage(page)).progress).toMatchObject({ taken: 0, dropped: 0 });
    }
    expect(record).not.toHaveBeenCalled();
  });
});

describe("The sum of a service's visits", () => {
  const start = {
    ...{ after: null, countedLinks: 0, partial: 0, isEnd: false },
    history: { clicks: 9, counted_clicks: 0, dropped_clicks: 0, links_with_history: 0 },
  };
  const settle = ({ visits }: ReturnType<typeof visitImport>) =>
    visits.settleRows(IMPORT as never, { linkVisits: jest.fn() } as never, start);

  it('notes how many clicks the source does not list', async () => {
    const made = visitImport(ROW);
    const history = { clicks: 9, counted_clicks: 4, links_with_history: 1 };
    expect(await settle(made)).toMatchObject({ history, countedLinks: 1, partial: 1 });
    const message = 'the source lists only 3 of its 7 clicks';
    expect(made.notePartial).toHaveBeenCalledWith('i', [{ row: ROW, message }]);
  });

  it('excludes links whose clicks were deleted before the run resumed', async () => {
    const made = visitImport({ ...ROW, message: 'Read' }, ['l']);
    const history = { clicks: 9, counted_clicks: 0, links_with_history: 0 };
    expect(await settle(made)).toMatchObject({ history, countedLinks: 0, partial: 1 });
    const message = 'Read; Its clicks were deleted here: its history is not imported again';
    expect(made.notePartial).toHaveBeenCalledWith('i', [expect.objectContaining({ message })]);
  });
});
