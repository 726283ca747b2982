import { linkWith, principalWith, shownLink } from '../../../test/support/shared/domain-values';
import type { Link } from '../../stores/links/link';
import { UnknownLinkError } from '../../stores/links/link.errors';
import { ListingService } from './listing.service';

const CALLER = principalWith();
const OWN = linkWith({ id: 'a', ownerId: CALLER.ownerId });

describe('A list of links', () => {
  let link: Link | null;
  const page = jest.fn<Promise<object>, [string, object]>();
  const service = new ListingService(
    { ownLink: () => Promise.resolve(link) } as never,
    { page } as never,
    {
      findInOrder: (ids: string[]) => Promise.resolve(ids.map((id) => linkWith({ id }))),
      findOwn: (_: string[], ownerId: string) =>
        Promise.resolve(link?.ownerId === ownerId ? link : null),
    } as never,
    { toItems: (links: Link[]) => Promise.resolve(links.map(shownLink)) } as never,
    { placesOf: () => ({ baseUrl: 'https://base.test', domains: [] }) } as never,
  );
  const list = (query: object) =>
    service.list(
      { page: 1, pageSize: 2, sortBy: 'created_at', sortOrder: 'descending', ...query } as never,
      CALLER,
    );

  beforeEach(() => page.mockReset().mockResolvedValue({ ids: ['a', 'b'], total: 4 }));

  it.each<[string, object, object]>([
    ['a first page', {}, { hasNext: true, sortOrder: 'descending' }],
    ['a full last page', { page: 2 }, { hasNext: false, page: 2 }],
    ['a page beyond the last', { page: 3 }, { hasNext: false }],
    ['an ascending page', { sortOrder: 'ascending' }, { sortOrder: 'ascending' }],
  ])('has %s', async (_, query, expected) => {
    expect(await list(query)).toMatchObject({ total: 4, ...expected });
  });

  it.each<[string, object, object]>([
    ['the filter', { filter: '{"status":"ACTIVE"}' }, { status: 'ACTIVE' }],
    ['the filter under its other name', { filterBy: '{"status":"ACTIVE"}' }, { status: 'ACTIVE' }],
    [
      'the first of both names',
      { filter: '{"status":"ACTIVE"}', filterBy: '{"status":"INACTIVE"}' },
      { status: 'ACTIVE' },
    ],
    [
      'the domain alongside it',
      { filter: '{"status":"ACTIVE"}', domain: 'base.test' },
      { status: 'ACTIVE' },
    ],
  ])('reads %s', async (_, query, filter) => {
    await list(query);
    const [[, request]] = page.mock.calls as [[string, { filter: object }]];
    expect(request.filter).toMatchObject(filter);
    expect('domain' in request.filter && request.filter.domain !== undefined).toBe(
      'domain' in query,
    );
  });

  it('returns both sums if the index contains them', async () => {
    page.mockResolvedValue({ ids: ['a'], total: 1, totalClicks: 3, importedClicks: 7 });
    expect(await list({ sums: true })).toMatchObject({ total_clicks: 3, imported_clicks: 7 });
  });

  it.each<[string, Link | null, boolean]>([
    ['an own link', OWN, true],
    ['a link of another account', linkWith({ ownerId: 'other' }), false],
    ['an anonymous link', linkWith(), false],
    ['an unknown alias', null, false],
  ])('returns %s by its address, or 404', async (_, found, isShown) => {
    link = found;
    const answer = service.showByKeys(['elsewhere', OWN.alias], CALLER);
    if (isShown) expect(await answer).toMatchObject({ id: 'a' });
    else await expect(answer).rejects.toThrow(UnknownLinkError);
  });
});
