import { Injectable } from '@nestjs/common';
import { JobsRepository } from '../../../infrastructure/jobs/jobs.repository';
import { LinkWalk } from '../../../stores/links/link-walk.repository';
import { BlockedDestinations } from '../../../blocklists/blocked-destinations';
import { StoredHosts } from '../../../blocklists/hosts/stored-hosts';
import { LIST_REASONS } from '../../list-walk/list-reasons';
import { type ListsResponse, toListResponse, toWalkResponse } from './lists.response';

const COUNT_MAX_AGE_MS = 60_000;

@Injectable()
export class ListsService {
  private byStored = { key: '', count: Promise.resolve(0) };

  constructor(
    private readonly blocked: BlockedDestinations,
    private readonly stored: StoredHosts,
    private readonly links: LinkWalk,
    private readonly jobs: JobsRepository,
  ) {}

  async read(): Promise<ListsResponse> {
    const [byHosts, byUrls, job] = await Promise.all([
      this.links.countClosedByList(LIST_REASONS.hosts),
      this.links.countClosedByList(LIST_REASONS.urls),
      this.jobs.findOnly('block_list'),
    ]);
    const byStored = byHosts === 0 || this.stored.entries === 0 ? 0 : this.countByStored(byHosts);
    const { hosts, urls } = this.blocked.lists();
    const walk = toWalkResponse(job);
    return {
      hosts: toListResponse(hosts, byHosts, walk),
      urls: toListResponse(urls, byUrls, walk),
      stored: { entries: this.stored.entries, links_blocked: await byStored },
    };
  }

  /** Reads all links that a list blocked, so repeated requests share one count. */
  private countByStored(byHosts: number): Promise<number> {
    const minute = Math.floor(Date.now() / COUNT_MAX_AGE_MS);
    const key = [this.stored.version, byHosts, minute].join();
    if (key !== this.byStored.key) {
      const isStored = (host: string): boolean => this.stored.covers(host);
      const count = this.links.countClosedWith(isStored, LIST_REASONS.hosts);
      this.byStored = { key, count };
      count.catch(() => (this.byStored.key = ''));
    }
    return this.byStored.count;
  }
}
