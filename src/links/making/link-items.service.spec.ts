import { linkWith } from '../../../test/support/shared/domain-values';
import { TagSet } from '../../stores/tags/tag-set';
import { LinkItemsService } from './link-items.service';

const COLOR = { color: 'red', createdAt: new Date(0) } as const;
const TAGS = new TagSet([{ id: 't', name: 'Spring', key: 'spring', ...COLOR }]);

describe('Links in a list', () => {
  const service = new LinkItemsService(
    {
      findTags: (owner: string | null) => Promise.resolve(owner === 'o' ? TAGS : TagSet.EMPTY),
    } as never,
    { find: (alias: string) => ({ alias, domain: null, shortUrl: alias }) } as never,
    { findClicks: () => Promise.resolve(new Map([['b', 7]])) } as never,
  );

  it("have their account's tags, and imported clicks only if there are any", async () => {
    const items = await service.toItems([
      linkWith({ id: 'b', ownerId: 'o', tags: ['t'], totalClicks: 2 }),
      linkWith({ id: 'a', ownerId: 'p', tags: ['t'] }),
    ]);
    expect(items).toMatchObject([
      { id: 'b', tags: ['Spring'], total_clicks: 2, imported_clicks: 7 },
      { id: 'a', tags: [] },
    ]);
    expect(items[1]).not.toHaveProperty('imported_clicks');
  });
});
