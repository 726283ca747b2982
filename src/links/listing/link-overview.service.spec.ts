import { linkWith, shownLink } from '../../../test/support/shared/domain-values';
import type { Link } from '../../stores/links/link';
import { LinkOverviewService } from './link-overview.service';

const DAY = 86_400_000;

describe("The overview of an account's links", () => {
  const glance = jest.fn<Promise<object>, unknown[]>();
  const nearLimit = jest.fn<Promise<Link[]>, [readonly string[]]>();
  const findByAliases = jest.fn<Promise<Link[]>, [string[]]>();
  const service = new LinkOverviewService(
    { glance } as never,
    {
      nearLimit,
      findByAliases,
      findInOrder: (ids: string[]) => Promise.resolve(ids.map((id) => linkWith({ id }))),
    } as never,
    { toItems: (links: Link[]) => Promise.resolve(links.map(shownLink)) } as never,
    { keyOfLabel: (label: string) => (label.includes('/') ? null : label) } as never,
  );
  const found = (limited: string[]) =>
    glance.mockResolvedValueOnce({ total: 5, active: 3, expiring: ['e'], limited });
  const used = (id: string, usedClicks: number, maxClicks = 10) =>
    linkWith({ id, usedClicks, maxClicks });

  beforeEach(() => jest.resetAllMocks());

  it('counts inactive links, and lists links that expire within seven days', async () => {
    found([]);
    const { counts, expiring } = await service.glanceFor('o', 1000);
    expect(counts).toEqual({ total: 5, active: 3, inactive: 2 });
    expect(expiring.map(({ id }) => id)).toEqual(['e']);
    expect(glance).toHaveBeenCalledWith('o', 1000, 1000 + 7 * DAY, 10);
  });

  it.each<[string, Link[], string[]]>([
    ['the fullest first', [used('a', 9), used('b', 10), used('c', 95, 100)], ['b', 'c', 'a']],
    ['equally full ones by age', [used('c', 9), used('a', 90, 100), used('b', 9)], ['a', 'b', 'c']],
    [
      'ten at most',
      Array.from({ length: 12 }, (_, i) => used(`${i + 10}`, 100 - i, 100)),
      Array.from({ length: 10 }, (_, i) => `${i + 10}`),
    ],
  ])('lists links that have nearly reached their limit: %s', async (_, links, ids) => {
    found(links.map(({ id }) => id));
    nearLimit.mockResolvedValueOnce(links);
    const { nearLimit: fullest } = await service.glanceFor('o', 0);
    expect(fullest.map(({ id }) => id)).toEqual(ids);
  });

  it('reads links with a limit a thousand at a time, and keeps those with the most used clicks', async () => {
    found(Array.from({ length: 1500 }, (_, i) => `${i}`));
    nearLimit.mockResolvedValueOnce([used('a', 9)]).mockResolvedValueOnce([used('b', 10)]);
    const { nearLimit: fullest } = await service.glanceFor('o', 0);
    expect(fullest.map(({ id }) => id)).toEqual(['b', 'a']);
    expect(nearLimit.mock.calls.map(([ids]) => ids.length)).toEqual([1000, 500]);
  });

  it("finds the account's links by label, in the given order", async () => {
    const links = ['one', 'two', 'three'].map((alias) =>
      linkWith({ id: alias, alias, ownerId: alias === 'two' ? 'other' : 'o' }),
    );
    findByAliases.mockResolvedValueOnce(links);
    const recent = new Map(['three', 'gone/x', 'two', 'one'].map((label, at) => [label, 9 - at]));
    expect(await service.hotLinks('o', recent)).toMatchObject([
      { id: 'three', recent_clicks: 9 },
      { id: 'one', recent_clicks: 6 },
    ]);
    expect(await service.hotLinks('o', new Map([['gone/x', 1]]))).toEqual([]);
    expect(findByAliases.mock.calls).toEqual([[['three', 'two', 'one']]]);
  });
});
