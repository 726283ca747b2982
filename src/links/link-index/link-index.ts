import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { CurtailError, type LogLevelOfError } from '../../common/errors';
import { AppLog } from '../../common/log';
import { LinksRepository } from '../../stores/links/links.repository';
import { RemovedLinksRepository } from '../../stores/links/removed-links.repository';
import { AccountTags } from '../../stores/tags/account-tags';
import { TagSet } from '../../stores/tags/tag-set';
import type { LinkFilter, LinksGlance, PageOfIds, PageRequest } from './link-list';
import { isOpenFilter, needsTags } from './row-filter';
import { SyncedListing } from './synced-listing';

/** Memory for the listings of all accounts in a web process: 1,800,000 links or so. */
const MAX_LISTINGS_BYTES = 256 * 1024 * 1024;

/** A larger page is a wish for all links, which are read into memory for that. */
const MAX_INDEXED_PAGE = 1000;

/** 503: the links of the account do not fit beside those of others who list theirs. */
export class ListMemoryError extends CurtailError {
  constructor() {
    super(503, 'internal_error', 'There is no memory left to sort these links, try again shortly', {
      headers: { 'Retry-After': '10' },
      hint: 'Lists by created_at without a filter are always answered',
    });
  }

  override get logLevel(): LogLevelOfError {
    return 'info';
  }
}

/**
 * The links of the accounts that list them, in memory, as many as there is room for: pages of their
 * ids in any order and by any filter, and counts. Each is brought up to date before it is asked.
 */
@Injectable()
export class LinkIndex {
  private readonly cache = new LRUCache<string, SyncedListing>({ maxSize: MAX_LISTINGS_BYTES });

  constructor(
    private readonly links: LinksRepository,
    private readonly removed: RemovedLinksRepository,
    private readonly tags: AccountTags,
    private readonly log: AppLog,
  ) {}

  /**
   * A page of the account's links. While they are being read into memory, and where they have no
   * room there, lists in the order of the database's index come from it; any other waits for them.
   */
  async page(ownerId: string, input: PageRequest): Promise<PageOfIds> {
    const synced = this.listingFor(ownerId);
    if (isIndexed(input) && !synced.isRecent) {
      const page = await this.fromDatabase(ownerId, input);
      // Behind the answer, which would wait for the same database.
      setImmediate(() => this.readAhead(synced));
      return page;
    }
    await synced.bringUpToDate();
    // Read after the links, so that the tags of all of them are there.
    const tags = needsTags(input.filter) ? await this.tags.findTags(ownerId) : TagSet.EMPTY;
    const page = await synced.select(input, Date.now(), tags);
    // The order may be a new one.
    if (this.cache.peek(ownerId) === synced) this.cache.set(ownerId, synced, cacheSize(synced));
    return page;
  }

  /** The oldest links that pass the filter, at most so many of all that are found. */
  async idsMatching(
    ownerId: string,
    filter: LinkFilter,
    limit: number,
  ): Promise<{ ids: string[]; found: number }> {
    const oldest = { page: 1, pageSize: limit, sortBy: 'created_at', descending: false } as const;
    const { ids, total } = await this.page(ownerId, { ...oldest, filter });
    return { ids, found: total };
  }

  /** How many of the account's links have each tag, by its id; a tag without links may be missing. */
  async countByTag(ownerId: string): Promise<ReadonlyMap<string, number>> {
    const synced = this.listingFor(ownerId);
    await synced.bringUpToDate();
    return synced.countByTag();
  }

  /** Counts of the account's links at a time, and those that end by `soon`, at most so many. */
  async glance(ownerId: string, now: number, soon: number, most: number): Promise<LinksGlance> {
    const synced = this.listingFor(ownerId);
    await synced.bringUpToDate();
    return synced.glance(now, soon, most);
  }

  private listingFor(ownerId: string): SyncedListing {
    const known = this.cache.get(ownerId);
    if (known !== undefined) return known;
    const grown = (bytes: number): void => this.grown(ownerId, synced, bytes);
    const synced = new SyncedListing(ownerId, this.links, this.removed, grown);
    // Kept from the start, so that requests which come together share the reading.
    this.cache.set(ownerId, synced, cacheSize(synced));
    return synced;
  }

  /** Makes room by forgetting those who listed longest ago; throws when there is none. */
  private grown(ownerId: string, synced: SyncedListing, bytes: number): void {
    const isForgotten = (): boolean => this.cache.peek(ownerId) !== synced;
    // Forgotten meanwhile, it would come to what is kept.
    if (isForgotten()) throw new ListMemoryError();
    this.cache.set(ownerId, synced, { size: bytes });
    if (isForgotten()) throw new ListMemoryError();
  }

  private readAhead(synced: SyncedListing): void {
    synced.bringUpToDate().catch((error: unknown) => {
      this.log.debug('Links could not be read ahead for lists', { err: error });
    });
  }

  private async fromDatabase(ownerId: string, input: PageRequest): Promise<PageOfIds> {
    const total = await this.links.countByOwner(ownerId);
    const skip = (input.page - 1) * input.pageSize;
    if (skip >= total) return { ids: [], total };
    const part = { skip, limit: input.pageSize, descending: input.descending };
    return { ids: await this.links.idsByCreation(ownerId, part), total };
  }
}

function cacheSize(synced: SyncedListing): { size: number } {
  return { size: synced.bytes };
}

/** Whether an index of the database has the order, nothing is to be left out, and it is a page. */
function isIndexed({ sortBy, pageSize, filter, sums }: PageRequest): boolean {
  const isPage = sortBy === 'created_at' && pageSize <= MAX_INDEXED_PAGE;
  return isPage && sums !== true && isOpenFilter(filter);
}
