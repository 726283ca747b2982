import { Injectable } from '@nestjs/common';
import { JobsRepository } from '../../../infrastructure/jobs/jobs.repository';
import { LinkWalk } from '../../../stores/links/link-walk.repository';
import { BlockedDestinations } from '../../../blocklists/blocked-destinations';
import { LIST_REASONS } from '../../list-walk/list-reasons';
import { type ListsResponse, toListResponse, toWalkResponse } from './lists.response';

@Injectable()
export class ListsService {
  constructor(
    private readonly blocked: BlockedDestinations,
    private readonly links: LinkWalk,
    private readonly jobs: JobsRepository,
  ) {}

  async read(): Promise<ListsResponse> {
    const [byHosts, byUrls, job] = await Promise.all([
      this.links.countClosedByList(LIST_REASONS.hosts),
      this.links.countClosedByList(LIST_REASONS.urls),
      this.jobs.findOnly('block_list'),
    ]);
    const { hosts, urls } = this.blocked.lists();
    const walk = toWalkResponse(job);
    return {
      hosts: toListResponse(hosts, byHosts, walk),
      urls: toListResponse(urls, byUrls, walk),
    };
  }
}
