import type { BlockedDestinations } from '../../blocklists/blocked-destinations';
import { hostOfStored } from '../../stores/links/destination-hosts';
import type { JudgedLink } from '../../stores/links/listable-link';

/** Many links lead to the same hosts. */
const MAX_REMEMBERED = 50_000;

/** Links that a list closes or opens; all others stay as they are. */
export type ListVerdict = 'hosts' | 'urls' | 'open';

/** Says of links which list they are on, by the lists as they stand. */
export class Listing {
  private readonly hosts = new Map<string, boolean>();

  constructor(
    private readonly lists: Pick<BlockedDestinations, 'coversHost' | 'judgeByPatterns'>,
  ) {}

  /** Null: the link stays as it is. */
  async verdictOn(link: JudgedLink): Promise<ListVerdict | null> {
    if (link.isExempt || link.blockedBy === 'admin') return null;
    const list = await this.findMatchingList(link);
    if (list === 'unfinished') return null;
    if (link.blockedBy === null) return list;
    return list === null ? 'open' : null;
  }

  /** `unfinished`: an expression takes too long, so that nobody knows. */
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
