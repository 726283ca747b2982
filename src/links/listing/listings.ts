import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { LinksRepository } from '../links.repository';
import { RemovedLinksRepository } from '../removal/removed-links.repository';
import type { OwnerListing } from './owner-listing';
import { SyncedListing } from './synced-listing';

/** A link takes about 500 bytes here. */
const MOST_LINKS = 300_000;

/** The listings of the accounts that list their links, as many as there is room for. */
@Injectable()
export class Listings {
  private readonly cache = new LRUCache<string, SyncedListing>({ maxSize: MOST_LINKS });

  constructor(
    private readonly links: LinksRepository,
    private readonly removed: RemovedLinksRepository,
  ) {}

  async of(ownerId: string): Promise<OwnerListing> {
    const synced = this.cache.get(ownerId) ?? new SyncedListing(ownerId, this.links, this.removed);
    // Kept from the start, so that requests which come together share the reading.
    this.keep(ownerId, synced);
    const listing = await synced.upToDate();
    this.keep(ownerId, synced);
    return listing;
  }

  /** An account on its own larger than the room is read for each list. */
  private keep(ownerId: string, synced: SyncedListing): void {
    this.cache.set(ownerId, synced, { size: synced.size + 1 });
  }
}
