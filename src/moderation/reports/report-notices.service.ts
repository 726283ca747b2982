import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { AccountsRepository } from '../../accounts/account/accounts.repository';
import { mailSubject } from '../../accounts/mails/account-mails';
import { BackgroundTasks } from '../../common/background-tasks';
import { HOUR_MS, MINUTE_MS } from '../../common/time';
import { HttpOptions, SiteOptions } from '../../config/options';
import { type Mail, MailSender, type Sender } from '../../infrastructure/mail/mail-sender';
import { DatabaseLeases } from '../../infrastructure/mongo/database-leases.repository';
import { MAX_OPEN_REPORTS } from './report';
import { ReportsRepository } from './reports.repository';

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
  return {
    to,
    from,
    template: 'plain',
    subject: mailSubject('Links were reported', from),
    values: {
      lead: `${count} reported at ${from.site}. Open reports: ${open}.`,
      advice: 'The next email about new reports will be sent in an hour at the earliest.',
    },
    page: { path: '/dashboard/admin/reports', action: 'Review the reports' },
  };
}
