import { Injectable } from '@nestjs/common';
import { isId } from '../../common/http/parse-id.pipe';
import { LinksRepository } from '../../link-store/links.repository';
import { LinkCache } from '../link-cache';
import { claimHash } from './claim-token';
import type { ClaimDto, ClaimedLinksResponse, ClaimStatus } from './claim.dto';

/** Gives links that were made without an account to one (docs/contract.md#31.4). */
@Injectable()
export class ClaimService {
  constructor(
    private readonly repository: LinksRepository,
    private readonly cache: LinkCache,
  ) {}

  /** Judges the items in their order; one that is there twice is the caller's the second time. */
  async claim(claims: readonly ClaimDto[], ownerId: string): Promise<ClaimedLinksResponse> {
    const results: ClaimedLinksResponse['results'] = [];
    for (const { url_id, token } of claims) {
      results.push({ url_id, status: await this.claimOne(url_id, token, ownerId) });
    }
    return { results, claimed: results.filter(({ status }) => status === 'claimed').length };
  }

  private async claimOne(id: string, token: string, ownerId: string): Promise<ClaimStatus> {
    if (!isId(id)) return 'invalid';
    const claimed = await this.repository.claim(id, claimHash(token), ownerId);
    if (claimed !== null) {
      await this.cache.invalidate(claimed.alias);
      return 'claimed';
    }
    const link = await this.repository.findById(id);
    return link?.ownerId === ownerId ? 'already_yours' : 'invalid';
  }
}
