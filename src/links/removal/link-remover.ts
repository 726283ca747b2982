import { Injectable } from '@nestjs/common';
import { ClickStoreRepository } from '../../clicks/store/click-store.repository';
import { LinksRepository } from '../../stores/links/links.repository';
import { RemovedLinksRepository } from '../../stores/links/removed-links.repository';
import { LinkCache } from '../cache/link-cache';
import { ImportedCountsRepository } from '../../stores/imported-counts/imported-counts.repository';

interface RemovableLink {
  readonly id: string;
  readonly alias: string;
}

/** Deletes links with their clicks and imported counts. Their aliases can be reused immediately. */
@Injectable()
export class LinkRemover {
  constructor(
    private readonly repository: LinksRepository,
    private readonly removed: RemovedLinksRepository,
    private readonly linkCache: LinkCache,
    private readonly clicks: ClickStoreRepository,
    private readonly counts: ImportedCountsRepository,
  ) {}

  /** Deletes links, even blocked links. Adds each deleted link's id and alias to `removed`. */
  async removeMany(
    links: readonly RemovableLink[],
    ownerId: string | null,
    removed: Map<string, string>,
  ): Promise<void> {
    await this.removeLinks(links, ownerId, removed, false);
    const ids = links.map(({ id }) => id);
    await this.clicks.remove(ids);
    await this.counts.remove(ids);
  }

  /** Keeps blocked links, even those blocked after the caller's check (docs/contract.md#24.4). */
  async removeUnblocked(
    links: readonly RemovableLink[],
    ownerId: string | null,
    removed: Map<string, string>,
  ): Promise<void> {
    await this.removeLinks(links, ownerId, removed, true);
    const ids = links.map(({ id }) => id).filter((id) => removed.has(id));
    await this.clicks.remove(ids);
    await this.counts.remove(ids);
  }

  private async removeLinks(
    links: readonly RemovableLink[],
    ownerId: string | null,
    removed: Map<string, string>,
    keepBlocked: boolean,
  ): Promise<void> {
    const ids = links.map(({ id }) => id);
    // Written first, so that the cleanup finds these links after a crash.
    await this.removed.note(ids, ownerId);
    try {
      for (const id of ids) {
        const alias = await this.repository.remove(id, keepBlocked);
        if (alias !== null) removed.set(id, alias);
      }
    } finally {
      const gone = links.filter(({ id }) => removed.has(id));
      const aliases = gone.flatMap(({ id, alias }) => [alias, removed.get(id) ?? alias]);
      if (gone.length > 0) await this.linkCache.invalidate(...new Set(aliases));
    }
  }
}
