import { SORT_FIELDS } from '../../src/links/link-index/link-list';
import { OwnerListing } from '../../src/links/link-index/owner-listing';
import { TagSet } from '../../src/stores/tags/tag-set';
import type { Model } from './model';

export async function listingBytes({ links, tagIds }: Model): Promise<number> {
  const listing = new OwnerListing();
  for (const link of links) {
    const { id, alias, title, note } = link;
    const times = { createdAt: link.created_at, lastClick: link.last_click, touchedAt: 0 };
    listing.add([
      {
        ...{ id, alias, title, note, ...times, longUrl: link.long_url },
        ...{ totalClicks: link.total_clicks, expireAfter: link.expire_after },
        ...{ startsAt: -Infinity },
        ...{
          status: 'ACTIVE',
          closedByLimit: false,
          blocked: false,
          present: 0,
        },
        tags: link.tags.map((number) => String(tagIds[number])),
        source: '',
      },
    ]);
  }
  await listing.complete();
  const page = { page: 1, pageSize: 1, descending: false, filter: {} };
  for (const sortBy of SORT_FIELDS) await listing.select({ ...page, sortBy }, 0, TagSet.EMPTY);
  return listing.bytes / links.length;
}
