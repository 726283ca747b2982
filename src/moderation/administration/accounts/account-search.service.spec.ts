import { accountWith } from '../../../../test/support/shared/domain-values';
import { UnknownAccountError } from '../../../accounts/account/accounts.errors';
import { SearchTooLongError } from '../action/administration.errors';
import { AccountSearchService } from './admin-accounts.service';

const COUNTS = new Map([
  ['a', { links: 1, clicks: 9 }],
  ['b', { links: 3, clicks: 0 }],
  ['d', { links: 3, clicks: 5 }],
]);
const QUERY = { page: 1, pageSize: 20, sortBy: 'created_at', sortOrder: 'descending' };

describe('The search for accounts', () => {
  const search = jest.fn<Promise<object>, [object, object, number]>(() =>
    Promise.resolve({ accounts: [accountWith({ id: 'a' })], total: 21 }),
  );
  const findById = jest.fn(() => Promise.resolve(null));
  const service = new AccountSearchService(
    {
      search,
      findById,
      searchIds: () => Promise.resolve(['a', 'b', 'c', 'd']),
      findInOrder: (ids: string[]) => Promise.resolve(ids.map((id) => accountWith({ id }))),
    } as never,
    { countsOfOwners: () => Promise.resolve(COUNTS) } as never,
    { sumByOwner: () => Promise.resolve(new Map([['b', 7]])) } as never,
    { countByOwner: () => Promise.resolve(new Map([['a', 2]])) } as never,
    { countByUser: () => Promise.resolve(new Map([['a', 4]])) } as never,
  );
  const find = (query: object) => service.search({ ...QUERY, ...query } as never);

  it.each<[string, object, string[]]>([
    ['links, most first', { sortBy: 'links' }, ['d', 'b', 'a', 'c']],
    ['links, fewest first', { sortBy: 'links', sortOrder: 'ascending' }, ['c', 'a', 'b', 'd']],
    ['clicks with imported ones, most first', { sortBy: 'clicks' }, ['a', 'b', 'd', 'c']],
    ['clicks, the second page', { sortBy: 'clicks', page: 2, pageSize: 3 }, ['c']],
    ['clicks, beyond the last page', { sortBy: 'clicks', page: 3, pageSize: 3 }, []],
  ])('sorts by %s', async (_, query, ids) => {
    const { items, total } = await find(query);
    expect([items.map(({ id }) => id), total]).toEqual([ids, 4]);
  });

  it.each(['created_at', 'last_sign_in_at'])('lets the database sort by %s', async (by) => {
    const { hasNext, items } = await find({ sortBy: by, search: '', status: 'active' });
    const part = { page: 1, pageSize: 20, by, descending: true };
    const criteria = { text: undefined, standing: 'active', role: undefined };
    expect(search).toHaveBeenLastCalledWith(criteria, part, 10_000);
    expect(hasNext).toBe(true);
    expect(items).toMatchObject([{ links: 1, clicks: 9, keys: 2, sessions: 4 }]);
  });

  it('returns zeros for an account without data', async () => {
    expect(await service.toResponse(accountWith({ id: 'c' }))).toMatchObject({
      ...{ links: 0, clicks: 0, imported_clicks: 0, keys: 0, sessions: 0 },
    });
  });

  it('reports a search that takes too long, and an unknown account', async () => {
    search.mockRejectedValueOnce(Object.assign(new Error('time'), { code: 50 }));
    await expect(find({})).rejects.toThrow(SearchTooLongError);
    search.mockRejectedValueOnce(new Error('broken'));
    await expect(find({})).rejects.toThrow('broken');
    await expect(service.show('x')).rejects.toThrow(UnknownAccountError);
  });
});
