import { Injectable } from '@nestjs/common';
import { JobsRepository } from '../../../infrastructure/jobs/jobs.repository';
import { LinkWalk } from '../../../stores/links/link-walk.repository';
import { BlockedDestinations } from '../../../blocklists/blocked-destinations';
import { StoredHosts } from '../../../blocklists/hosts/stored-hosts';
import { LIST_REASONS } from '../../list-walk/list-reasons';
import { type ListsResponse, toListResponse, toWalkResponse } from './lists.response';

@Injectable()
export class ListsService {
  constructor(
    private readonly blocked: BlockedDestinations,
    private readonly stored: StoredHosts,
    private readonly links: LinkWalk,
    private readonly jobs: JobsRepository,
  ) {}

  async read(): Promise<ListsResponse> {
    const [byHosts, byUrls, byStored, job] = await Promise.all([
      this.links.countClosedByList(LIST_REASONS.hosts),
      this.links.countClosedByList(LIST_REASONS.urls),
      this.stored.entries === 0
        ? 0
        : this.links.countClosedWith((host) => this.stored.covers(host), LIST_REASONS.hosts),
      this.jobs.findOnly('block_list'),
    ]);
    const { hosts, urls } = this.blocked.lists();
    const walk = toWalkResponse(job);
    return {
      hosts: toListResponse(hosts, byHosts, walk),
      urls: toListResponse(urls, byUrls, walk),
      stored: { entries: this.stored.entries, links_blocked: byStored },
    };
  }
}
