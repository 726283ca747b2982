import { LinkIndex } from './link-index';
import type { PageRequest, SortField } from './link-list';

const OWNER = 'a'.repeat(24);
const STORED = ['1'.repeat(24), '2'.repeat(24)];

/** An index whose account never finishes loading. */
function loadingIndex(revision: number | null = null): { index: LinkIndex; sortedIds: jest.Mock } {
  const sortedIds = jest.fn().mockResolvedValue(STORED);
  const links = {
    time: () => new Promise(() => undefined),
    countByOwner: () => Promise.resolve(50_000),
    sortedIds,
  };
  const counts = { findRevision: () => Promise.resolve(revision) };
  const index = new LinkIndex(
    links as never,
    {} as never,
    {} as never,
    counts as never,
    {} as never,
  );
  return { index, sortedIds };
}

const request = (sortBy: SortField, changes: Partial<PageRequest> = {}): PageRequest => ({
  ...{ page: 3, pageSize: 20, descending: true, filter: {}, sortBy },
  ...changes,
});

describe("LinkIndex, while an account's links are loading,", () => {
  it.each(['created_at', 'last_click', 'total_clicks'] as const)(
    'lets the database sort pages by %s',
    async (sortBy) => {
      const { index, sortedIds } = loadingIndex();
      expect(await index.page(OWNER, request(sortBy))).toEqual({ ids: STORED, total: 50_000 });
      const part = { sortBy, skip: 40, limit: 20, descending: true };
      expect(sortedIds).toHaveBeenCalledWith(OWNER, part, 50_000);
    },
  );

  it('waits for the links before it sorts by clicks if some clicks were imported', async () => {
    const { index, sortedIds } = loadingIndex(1);
    const page = index.page(OWNER, request('total_clicks')).then(() => 'page');
    const turn = new Promise((resolve) => setImmediate(resolve, 'waiting'));
    expect(await Promise.race([page, turn])).toBe('waiting');
    expect(sortedIds).not.toHaveBeenCalled();
  });

  it.each([
    ['texts', request('title')],
    ['links without an expiry', request('expire_after')],
    ['a search', request('last_click', { filter: { status: 'ACTIVE' } })],
    ['totals', request('created_at', { sums: true })],
    ['late places of a sort', request('total_clicks', { page: 501 })],
  ])('waits for the links before it sorts %s', async (_, input) => {
    const { index, sortedIds } = loadingIndex();
    const page = index.page(OWNER, input).then(() => 'page');
    const turn = new Promise((resolve) => setImmediate(resolve, 'waiting'));
    expect(await Promise.race([page, turn])).toBe('waiting');
    expect(sortedIds).not.toHaveBeenCalled();
  });
});
