import { Injectable, OnModuleInit } from '@nestjs/common';
import type { Principal } from '../../auth/access';
import { ClickHouseConnection } from '../../infrastructure/click-house/click-house.module';
import { ClickStoreRepository } from '../../clicks/store/click-store.repository';
import { ImportedCountsRepository } from '../../stores/imported-counts/imported-counts.repository';
import { BackgroundTasks } from '../../common/background-tasks';
import { LinksService } from '../making/links.service';
import { LinkRemover } from './link-remover';
import { hostName } from '../../common/host';
import { DomainRegistry } from '../../stores/domains/domain-registry';
import { DomainsRepository } from '../../stores/domains/domains.repository';
import { type RemovedLinksResponse, RemovedLinkResponse } from './removed-links.response';
import { UnknownLinkError } from '../../stores/links/link.errors';
import { LinkReads } from '../../stores/links/link-reads.repository';
import { RemovedLinksRepository } from '../../stores/links/removed-links.repository';
import { UnknownLinkDomainError } from '../making/links.errors';

const SWEEP_MS = 10 * 60_000;
const MAX_AT_ONCE = 1000;
/** Must be longer than the interval between checks for deleted links in cached lists. */
const NOTES_KEPT_MS = 60 * 60_000;

/** Deletes data that a crash or a late click left behind for a deleted link. */
@Injectable()
export class DeletedLinkCleanup implements OnModuleInit {
  constructor(
    private readonly repository: LinkReads,
    private readonly removed: RemovedLinksRepository,
    private readonly clicks: ClickStoreRepository,
    private readonly clickHouse: ClickHouseConnection,
    private readonly counts: ImportedCountsRepository,
    private readonly background: BackgroundTasks,
  ) {}

  onModuleInit(): void {
    const run = (): Promise<void> => this.sweep();
    this.background.repeat({ name: 'remove the data of deleted links', everyMs: SWEEP_MS, run });
  }

  /** Safe to run concurrently. Keeps existing links' clicks. */
  async sweep(now = Date.now()): Promise<void> {
    for (;;) {
      const noted = await this.removed.notedBefore(new Date(now - NOTES_KEPT_MS));
      if (noted.length === 0) return;
      const missing = await this.repository.missing(noted);
      await this.clicks.remove(missing);
      await this.clickHouse.removeClicks(missing);
      await this.counts.remove(missing);
      await this.removed.forget(noted);
    }
  }
}

@Injectable()
export class RemovalService {
  constructor(
    private readonly links: LinksService,
    private readonly repository: LinkReads,
    private readonly remover: LinkRemover,
    private readonly domains: DomainsRepository,
    private readonly registry: DomainRegistry,
  ) {}

  /** Deletes up to 1,000 of the account's links on a domain. Keeps blocked links. */
  async removeOfDomain(name: string, { ownerId }: Principal): Promise<RemovedLinksResponse> {
    const fqdn = hostName(name);
    const ids = await this.findDomainIds(fqdn, ownerId);
    const removed = new Map<string, string>();
    const own = { isChangeable: true, ownerId } as const;
    for (const id of ids) {
      const links = await this.repository.findIn(id, MAX_AT_ONCE - removed.size, own);
      if (links.length > 0) await this.removeMany(links, ownerId, removed);
      if (removed.size >= MAX_AT_ONCE) break;
    }
    const counts = ids.map((id) => this.repository.countIn(id, undefined, own));
    const remaining = (await Promise.all(counts)).reduce((sum, count) => sum + count, 0);
    return { message: 'URLs deleted', count: removed.size, domain: fqdn, remaining };
  }

  /** Finds the account's domain, and other domains with that name and links of the account. */
  private async findDomainIds(fqdn: string, ownerId: string): Promise<string[]> {
    const own = await this.domains.findOwnByName(fqdn, ownerId);
    const ids = own === null ? [] : [own.id];
    for (const domain of this.registry.usedBy(ownerId)) {
      if (domain.fqdn !== fqdn || domain.ownerId === ownerId) continue;
      if ((await this.repository.countIn(domain.id, 1, { ownerId })) > 0) ids.push(domain.id);
    }
    if (ids.length === 0) throw new UnknownLinkDomainError();
    return ids;
  }

  async remove(urlId: string, caller: Principal): Promise<RemovedLinkResponse> {
    const link = await this.links.changeableLink(urlId, caller);
    const removed = new Map<string, string>();
    await this.removeMany([link], caller.ownerId, removed);
    if (removed.size === 0) throw new UnknownLinkError('id');
    return { message: 'URL deleted', id: link.id };
  }

  async removeMany(
    links: readonly { readonly id: string; readonly alias: string }[],
    ownerId: string | null,
    removed: Map<string, string>,
  ): Promise<void> {
    await this.remover.removeUnblocked(links, ownerId, removed);
  }
}
