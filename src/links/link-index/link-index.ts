import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { AppLog } from '../../common/log';
import { AccountLinkReads } from '../../stores/links/account-link-reads.repository';
import { ImportedCountsRepository } from '../../stores/imported-counts/imported-counts.repository';
import { RemovedLinksRepository } from '../../stores/links/removed-links.repository';
import { AccountTags } from '../../stores/tags/account-tags';
import { TagSet } from '../../stores/tags/tag-set';
import type { LinkFilter, LinksGlance, PageOfIds, PageRequest, TagCounts } from './link-list';
import { isOpenFilter, needsTags } from './row-filter';
import { SyncedListing } from './synced-listing';
import { ListMemoryError } from './link-list.errors';

/** Limit for all listings in a web process, about 1,800,000 links. */
const MAX_LISTINGS_BYTES = 256 * 1024 * 1024;

/** Requests for larger pages usually want all links, so the listing is loaded for them. */
const MAX_DATABASE_PAGE = 1000;
/** For pages beyond this place, loading all links is faster than a database sort. */
const MAX_SORTED_PLACE = 10_000;

/** Keeps accounts' links in memory, and updates them before every query. */
@Injectable()
export class LinkIndex {
  private readonly cache = new LRUCache<string, SyncedListing>({ maxSize: MAX_LISTINGS_BYTES });

  constructor(
    private readonly links: AccountLinkReads,
    private readonly removed: RemovedLinksRepository,
    private readonly tags: AccountTags,
    private readonly counts: ImportedCountsRepository,
    private readonly log: AppLog,
  ) {}

  /**
   * While a listing is loading, or if it does not fit into memory, pages that the database can
   * sort are read from there. All other pages wait for the listing.
   */
  async page(ownerId: string, input: PageRequest): Promise<PageOfIds> {
    const synced = this.listingFor(ownerId);
    if (!synced.isRecent && isSortable(input) && (await this.hasStoredOrder(ownerId, input))) {
      const page = await this.fromDatabase(ownerId, input);
      // Loads the listing after the response, so that the two do not compete for the database.
      setImmediate(() => this.readAhead(synced));
      return page;
    }
    await synced.bringUpToDate();
    // Reads tags after the links, so that the result includes all tags of the links.
    const tags = needsTags(input.filter) ? await this.tags.findTags(ownerId) : TagSet.EMPTY;
    const page = await synced.select(input, Date.now(), tags);
    // The query may have added a sort order, which takes memory.
    if (this.cache.peek(ownerId) === synced) this.cache.set(ownerId, synced, cacheSize(synced));
    return page;
  }

  /** Returns the oldest matching links, up to `most`, and the number of all matches. */
  async idsMatching(
    ownerId: string,
    filter: LinkFilter,
    limit: number,
  ): Promise<{ ids: string[]; found: number }> {
    const oldest = { page: 1, pageSize: limit, sortBy: 'created_at', descending: false } as const;
    const { ids, total } = await this.page(ownerId, { ...oldest, filter });
    return { ids, found: total };
  }

  /** Returns counts by tag id. Tags without links may be missing. */
  async countByTag(ownerId: string): Promise<ReadonlyMap<string, TagCounts>> {
    const synced = this.listingFor(ownerId);
    await synced.bringUpToDate();
    return synced.countByTag();
  }

  /** Returns link counts, and up to `most` links that end before `soon`. */
  async glance(ownerId: string, now: number, soon: number, most: number): Promise<LinksGlance> {
    const synced = this.listingFor(ownerId);
    await synced.bringUpToDate();
    return synced.glance(now, soon, most);
  }

  /** Links do not store their imported clicks. */
  private async hasStoredOrder(ownerId: string, { sortBy }: PageRequest): Promise<boolean> {
    return sortBy !== 'total_clicks' || (await this.counts.findRevision(ownerId)) === null;
  }

  private listingFor(ownerId: string): SyncedListing {
    const known = this.cache.get(ownerId);
    if (known !== undefined) return known;
    const grown = (bytes: number): void => this.grown(ownerId, synced, bytes);
    const synced = new SyncedListing(ownerId, this.links, this.removed, this.counts, grown);
    // Cached before it is loaded, so that concurrent requests share the load.
    this.cache.set(ownerId, synced, cacheSize(synced));
    return synced;
  }

  /** Evicts the least recently used listings; throws if that is not enough. */
  private grown(ownerId: string, synced: SyncedListing, bytes: number): void {
    const isForgotten = (): boolean => this.cache.peek(ownerId) !== synced;
    // Re-adding an evicted listing would exceed the memory limit.
    if (isForgotten()) throw new ListMemoryError();
    this.cache.set(ownerId, synced, { size: bytes });
    if (isForgotten()) throw new ListMemoryError();
  }

  private readAhead(synced: SyncedListing): void {
    synced.bringUpToDate().catch((error: unknown) => {
      this.log.debug('Could not preload links for lists', { err: error });
    });
  }

  private async fromDatabase(ownerId: string, input: SortableRequest): Promise<PageOfIds> {
    const { sortBy, descending, page, pageSize: limit } = input;
    const total = await this.links.countByOwner(ownerId);
    const skip = (page - 1) * limit;
    if (skip >= total) return { ids: [], total };
    const part = { sortBy, skip, limit, descending };
    return { ids: await this.links.sortedIds(ownerId, part, total), total };
  }
}

function cacheSize(synced: SyncedListing): { size: number } {
  return { size: synced.bytes };
}

type SortableRequest = PageRequest & {
  readonly sortBy: 'created_at' | 'last_click' | 'total_clicks';
};

/** The database sorts texts and links without an expiry differently. */
function isSortable(input: PageRequest): input is SortableRequest {
  const { page, pageSize, sortBy, sums, filter } = input;
  if (pageSize > MAX_DATABASE_PAGE || sums === true || !isOpenFilter(filter)) return false;
  if (sortBy === 'created_at') return true;
  const isNumber = sortBy === 'last_click' || sortBy === 'total_clicks';
  return isNumber && page * pageSize <= MAX_SORTED_PLACE;
}
