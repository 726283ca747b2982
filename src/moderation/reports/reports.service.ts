import { Injectable } from '@nestjs/common';
import { AppLog } from '../../common/log';
import { newObjectId } from '../../infrastructure/mongo/object-ids';
import type { RememberedLink } from '../../stores/links/link';
import { LinkCache } from '../../links/cache/link-cache';
import {
  MAX_OPEN_REPORTS,
  type NewReportEntry,
  type RejectedItem,
  type ReportSubmission,
  type SubmissionOutcome,
} from './report';
import { ReportNoticesService } from './report-notices.service';
import { ReportedAddresses } from './reported-addresses';
import { TooManyReportsError } from './reports.errors';
import { ReportsRepository } from './reports.repository';

@Injectable()
export class ReportsService {
  constructor(
    private readonly reports: ReportsRepository,
    private readonly addresses: ReportedAddresses,
    private readonly links: LinkCache,
    private readonly notices: ReportNoticesService,
    private readonly log: AppLog,
  ) {}

  /** Stores all valid items, or throws TooManyReportsError and stores none. */
  async submit(
    { items, reporter }: ReportSubmission,
    now = new Date(),
  ): Promise<SubmissionOutcome> {
    const links = await Promise.all(items.map(({ address }) => this.find(address)));
    const reported = new Map<string, NewReportEntry | null>();
    const rejected: RejectedItem[] = [];
    items.forEach(({ address: input, ...said }, index) => {
      const link = links[index] ?? 'not_found';
      if (typeof link === 'string') rejected.push({ index, input, code: link });
      else if (reported.has(link.id)) rejected.push({ index, input, code: 'duplicate_in_batch' });
      else reported.set(link.id, newEntry(link, { at: now, ...said, reporter }));
    });
    const entries = [...reported.values()].filter((entry) => entry !== null);
    await this.refuseFlood(entries.map(({ linkId }) => linkId));
    if (await this.reports.add(entries)) this.notices.tellSoon();
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

  /** Links with an open report are exempt. */
  private async refuseFlood(linkIds: readonly string[]): Promise<void> {
    const open = await this.reports.countOpen(MAX_OPEN_REPORTS + 1);
    if (open + linkIds.length <= MAX_OPEN_REPORTS) return;
    const known = await this.reports.openCounts(linkIds);
    const added = linkIds.filter((id) => !known.has(id)).length;
    if (added > 0 && open + added > MAX_OPEN_REPORTS) throw new TooManyReportsError();
  }
}

/** Null for a blocked link, whose report is accepted, but needs no review. */
function newEntry(link: RememberedLink, entry: NewReportEntry['entry']): NewReportEntry | null {
  return link.blocked === null ? { linkId: link.id, entry } : null;
}
