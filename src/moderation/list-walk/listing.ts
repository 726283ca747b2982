import type { BlockedDestinations } from '../../blocklists/blocked-destinations';
import { hostOfStored } from '../../stores/links/destination-hosts';
import type { JudgedLink } from '../../stores/links/link-walk.repository';

const MAX_REMEMBERED = 50_000;

/** A list that blocks the link, or `open` to unblock it. */
export type ListVerdict = 'hosts' | 'urls' | 'open';

export class Listing {
  private readonly hosts = new Map<string, boolean>();

  constructor(
    private readonly lists: Pick<BlockedDestinations, 'coversHost' | 'judgeByPatterns'>,
  ) {}

  /** Null if the link stays unchanged. */
  async verdictOn(link: JudgedLink): Promise<ListVerdict | null> {
    if (link.isExempt || link.blockedBy === 'admin') return null;
    const list = await this.findMatchingList(link);
    if (list === 'unfinished') return null;
    if (link.blockedBy === null) return list;
    return list === null ? 'open' : null;
  }

  /** `unfinished`: an expression timed out, so the result is unknown. */
  private async findMatchingList({ hosts, addresses }: JudgedLink) {
    if (hosts.some((host) => this.covers(host))) return 'hosts';
    let isUnfinished = false;
    for (const address of new Set(addresses)) {
      const verdict = await this.lists.judgeByPatterns(address);
      if (verdict === 'blocked') return 'urls';
      if (verdict === 'unfinished') isUnfinished = true;
    }
    return isUnfinished ? 'unfinished' : null;
  }

  private covers(stored: string): boolean {
    const known = this.hosts.get(stored);
    if (known !== undefined) return known;
    if (this.hosts.size >= MAX_REMEMBERED) this.hosts.clear();
    const covered = this.lists.coversHost(hostOfStored(stored));
    this.hosts.set(stored, covered);
    return covered;
  }
}
