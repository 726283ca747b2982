import { Injectable } from '@nestjs/common';
import { type Counted, RateLimiter } from '../../auth/rate-limit/rate-limiter';
import { type FurtherLimits, limitRow } from '../../auth/rate-limit/rate-limits';
import { AppLog } from '../../common/log';
import { newObjectId } from '../../infrastructure/mongo/object-ids';
import type { WindowRule } from '../../infrastructure/rate-limit-store/rate-limit-store';
import type { RememberedLink } from '../../stores/links/link';
import { LinkCache } from '../../links/cache/link-cache';
import {
  MAX_OPEN_REPORTS,
  type RejectedItem,
  type ReportEntry,
  type ReportSubmission,
  type SubmissionOutcome,
} from './report';
import { ReportNoticesService } from './report-notices.service';
import { ReportedAddresses } from './reported-addresses';
import { TooManyReportsError } from './reports.errors';
import { ReportsRepository } from './reports.repository';

/** Limits for the operation's description. */
export const REPORT_LIMITS = {
  'reports.create-items': 'the links in these requests that have no open report',
  'reports.owner': 'those links of an owner, from all callers',
} as const satisfies FurtherLimits;

interface ReportedLink {
  readonly link: RememberedLink;
  readonly entry: ReportEntry;
}

@Injectable()
export class ReportsService {
  constructor(
    private readonly reports: ReportsRepository,
    private readonly addresses: ReportedAddresses,
    private readonly links: LinkCache,
    private readonly notices: ReportNoticesService,
    private readonly limiter: RateLimiter,
    private readonly log: AppLog,
  ) {}

  /** Stores all valid items. If it throws TooManyReportsError or RateLimitError, stores none. */
  async submit(
    { items, reporter, clientKey }: ReportSubmission,
    now = new Date(),
  ): Promise<SubmissionOutcome> {
    const links = await Promise.all(items.map(({ address }) => this.find(address)));
    const reported = new Map<string, ReportedLink>();
    const rejected: RejectedItem[] = [];
    items.forEach(({ address: input, ...said }, index) => {
      const link = links[index] ?? 'not_found';
      if (typeof link === 'string') rejected.push({ index, input, code: link });
      else if (reported.has(link.id)) rejected.push({ index, input, code: 'duplicate_in_batch' });
      else reported.set(link.id, { link, entry: { at: now, ...said, reporter } });
    });
    // Accepts a report on a blocked link but does not store it, because it does not require review.
    const entries = [...reported.values()].filter(({ link }) => link.blocked === null);
    const known = await this.reports.openCounts(entries.map(({ link }) => link.id));
    const unreported = entries.flatMap(({ link }) => (known.has(link.id) ? [] : [link]));
    await this.refuseFlood(unreported.length);
    await this.countLinks(unreported, reporter.accountId, clientKey);
    const added = entries.map(({ link, entry }) => ({ linkId: link.id, entry }));
    if (await this.reports.add(added)) this.notices.tellSoon();
    const submissionId = newObjectId();
    const accepted = reported.size;
    this.log.info('Links were reported', { submissionId, accepted });
    return { submissionId, accepted, rejected };
  }

  private async find(address: string): Promise<RememberedLink | 'invalid_input' | 'not_found'> {
    const key = this.addresses.keyFromText(address);
    if (key === null) return 'invalid_input';
    return (await this.links.find(key)) ?? 'not_found';
  }

  private async refuseFlood(added: number): Promise<void> {
    if (added === 0) return;
    const room = MAX_OPEN_REPORTS - added;
    if ((await this.reports.countOpen(room + 1)) > room) throw new TooManyReportsError();
  }

  /** Counts links without an open report, or throws RateLimitError and counts none. */
  private async countLinks(
    links: readonly RememberedLink[],
    accountId: string | null,
    clientKey: string,
  ): Promise<void> {
    if (links.length === 0) return;
    const { authenticated = [], anonymous = [] } = limitRow('reports.create-items');
    const { authenticated: ownerRules = [] } = limitRow('reports.owner');
    const counted: Counted[] = [];
    const count = async (key: string, rules: readonly WindowRule[], cost: number) => {
      if (rules.length > 0) counted.push(await this.limiter.count(key, rules, cost));
    };
    try {
      if (accountId === null)
        await count(`reports.create-items|ip:${clientKey}`, anonymous, links.length);
      else await count(`reports.create-items|user:${accountId}`, authenticated, links.length);
      for (const [ownerId, cost] of linksByOwner(links))
        await count(`reports.owner|user:${ownerId}`, ownerRules, cost);
    } catch (error) {
      await Promise.all(counted.map((windows) => this.limiter.giveBack(windows)));
      throw error;
    }
  }
}

/** Returns the number of links by owner. Omits links without an owner. */
function linksByOwner(links: readonly RememberedLink[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { ownerId } of links) {
    if (ownerId !== null) counts.set(ownerId, (counts.get(ownerId) ?? 0) + 1);
  }
  return counts;
}
