import { Injectable } from '@nestjs/common';
import { isId } from '../../common/http/parse-id.pipe';
import { Attempt } from '../../idempotency/attempt';
import { LinkReads } from '../../stores/links/link-reads.repository';
import { LinksRepository } from '../../stores/links/links.repository';
import { LinkCache } from '../cache/link-cache';
import { claimHash } from './claim-token';
import type { ClaimDto, ClaimStatus } from './claim.dto';
import type { ClaimedLinksResponse } from './claim.response';

@Injectable()
export class ClaimService {
  constructor(
    private readonly repository: LinksRepository,
    private readonly reads: LinkReads,
    private readonly cache: LinkCache,
  ) {}

  /** Processes items in order. A link that occurs twice is `already_yours` the second time. */
  async claim(
    claims: readonly ClaimDto[],
    ownerId: string,
    attempt = new Attempt(),
  ): Promise<ClaimedLinksResponse> {
    const ids = claims.map(({ url_id }) => url_id).filter(isId);
    const before = new Set(await attempt.targets(() => this.ownAmong(ids, ownerId)));
    const results: ClaimedLinksResponse['results'] = [];
    for (const { url_id, token } of claims) {
      const id = url_id.toLowerCase();
      const status = await this.claimOne(id, token, ownerId);
      // Before the first attempt, the caller did not own the link, so that attempt claimed it.
      const isByEarlierTry = attempt.isRepeated && status === 'already_yours' && !before.has(id);
      results.push({ url_id, status: isByEarlierTry ? 'claimed' : status });
      before.add(id);
    }
    return { results, claimed: results.filter(({ status }) => status === 'claimed').length };
  }

  private async ownAmong(ids: readonly string[], ownerId: string): Promise<string[]> {
    const links = await this.reads.findInOrder(ids);
    return links.filter((link) => link.ownerId === ownerId).map(({ id }) => id);
  }

  private async claimOne(id: string, token: string, ownerId: string): Promise<ClaimStatus> {
    if (!isId(id)) return 'invalid';
    const claimed = await this.repository.claim(id, claimHash(token), ownerId);
    if (claimed !== null) {
      await this.cache.invalidate(claimed.alias);
      return 'claimed';
    }
    const link = await this.reads.findById(id);
    return link?.ownerId === ownerId ? 'already_yours' : 'invalid';
  }
}
