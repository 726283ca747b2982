import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { type Counted, RateLimiter } from '../../auth/rate-limit/rate-limiter';
import { type FurtherLimits, limitRow } from '../../auth/rate-limit/rate-limits';
import { AppLog } from '../../common/log';
import { newObjectId } from '../../infrastructure/mongo/object-ids';
import type { WindowRule } from '../../infrastructure/rate-limit-store/rate-limit-store';
import type { RememberedLink } from '../../stores/links/link';
import { LinkCache } from '../../links/cache/link-cache';
import { AccountsRepository } from '../../accounts/account/accounts.repository';
import { composeMail } from '../../accounts/mails/account-mails';
import { BackgroundTasks } from '../../common/background-tasks';
import { HOUR_MS, MINUTE_MS } from '../../common/time';
import { HttpOptions, SiteOptions } from '../../config/options';
import { type Mail, MailSender, type Sender } from '../../infrastructure/mail/mail-sender';
import { DatabaseLeases } from '../../infrastructure/mongo/database-leases.repository';
import { hostName } from '../../common/host';
import { parseUrl } from '../../config/url';
import { LinkAddresses } from '../../stores/domains/link-addresses';
import { decodeCode, keyOfCode } from '../../stores/links/alias-form';
import {
  MAX_OPEN_REPORTS,
  type RejectedItem,
  type ReportEntry,
  type ReportSubmission,
  type SubmissionOutcome,
} from './report';
import { TooManyReportsError } from './reports.errors';
import { ReportsRepository } from './reports.repository';

const SCHEME = /^https?:\/\//i;
/** Host and path without a scheme. A slash must precede query and fragment. */
const SCHEMELESS = /^[^?#/]+\//;
const NO_ADDRESS = /[\s\p{Cc}]/u;
/** An alias and the suffixes that may follow it. */
const PATH = /^\/([^/]+?)(?:\+|\/password|\/qr\.(?:svg|png))?\/?$/;

@Injectable()
export class ReportedAddresses {
  private readonly ownName: string;
  private readonly port: string;

  constructor(
    private readonly addresses: LinkAddresses,
    { baseUrl }: HttpOptions,
  ) {
    const { host, port } = new URL(baseUrl);
    this.ownName = hostName(host);
    this.port = port;
  }

  /** Returns the stored form of an alias or short URL; null for other text. */
  keyFromText(text: string): string | null {
    const typed = text.trim();
    if (NO_ADDRESS.test(typed)) return null;
    if (SCHEME.test(typed)) return this.keyOfUrl(typed);
    if (SCHEMELESS.test(typed)) return this.keyOfUrl(`https://${typed}`);
    const [code = ''] = typed.split(/[?#]/);
    return keyOfCode(null, decodeCode(code.replace(/\+$/, '')));
  }

  private keyOfUrl(typed: string): string | null {
    const url = parseUrl(typed);
    const [, code] = PATH.exec(url?.pathname ?? '') ?? [];
    if (url === null || code === undefined || url.username + url.password !== '') return null;
    // An address without a port refers to this service.
    if (url.port !== '' && url.port !== this.port) return null;
    const fqdn = hostName(url.hostname) === this.ownName ? null : url.hostname;
    return this.addresses.keyAt(fqdn, decodeCode(code));
  }
}

/**
 * Emails admins about new reports, at most hourly across all machines, and removes reporters from
 * closed reports (docs/contract.md#24.5). A failed email is retried an hour later.
 */
@Injectable()
export class ReportNoticesService implements OnApplicationBootstrap {
  constructor(
    private readonly reports: ReportsRepository,
    private readonly leases: DatabaseLeases,
    private readonly accounts: AccountsRepository,
    private readonly sender: MailSender,
    private readonly background: BackgroundTasks,
    private readonly http: HttpOptions,
    private readonly site: SiteOptions,
  ) {}

  onApplicationBootstrap(): void {
    this.background.repeat({
      name: 'check for new reports',
      everyMs: MINUTE_MS,
      run: async () => {
        await this.reports.forget(new Date());
        await this.tell();
      },
    });
  }

  /** Call after a report has been opened. Returns immediately. */
  tellSoon(): void {
    this.background.run('report email', () => this.tell());
  }

  private async tell(): Promise<void> {
    const now = new Date();
    const added = await this.reports.countUntold(MAX_OPEN_REPORTS);
    if (added === 0) return;
    const admins = await this.accounts.adminEmails();
    // The lease is not released, so that there is only one email per hour.
    if (admins.length === 0 || (await this.leases.acquire('report_mail', HOUR_MS)) === null) return;
    const open = await this.reports.countOpen(MAX_OPEN_REPORTS);
    const from = { site: this.site.name, baseUrl: this.http.baseUrl };
    const sent: boolean[] = [];
    for (const email of admins) {
      sent.push(await this.sender.send(email, () => reportsMail(email, { added, open }, from)));
    }
    if (sent.includes(true)) await this.reports.noteTold(now);
  }
}

/** Contains only counts, and no text from reporters. */
export function reportsMail(
  to: string,
  { added, open }: { readonly added: number; readonly open: number },
  from: Sender,
): Mail {
  const count = added === 1 ? '1 link was' : `${added} links were`;
  return composeMail(to, from, {
    subject: 'Links were reported',
    lead: `${count} reported at ${from.site}. Open reports: ${open}.`,
    advice: 'The next email about new reports will be sent in an hour at the earliest.',
    page: { path: '/dashboard/admin/reports', action: 'Review the reports' },
  });
}

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
