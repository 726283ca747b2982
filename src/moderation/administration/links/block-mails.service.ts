import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { AccountsRepository } from '../../../accounts/account/accounts.repository';
import { composeMail } from '../../../accounts/mails/account-mails';
import { BackgroundTasks } from '../../../common/background-tasks';
import { countNoun } from '../../../common/plain-text';
import { HttpOptions, SiteOptions } from '../../../config/options';
import { type Mail, MailSender, type Sender } from '../../../infrastructure/mail/mail-sender';
import { LinkAddresses } from '../../../stores/domains/link-addresses';
import {
  type BlockNotice,
  BlockNoticesRepository,
} from '../../../stores/links/block-notices.repository';
import { LinkReads } from '../../../stores/links/link-reads.repository';

const CHECK_MS = 5000;
const MAX_NAMED = 20;

interface BlockedLinks {
  /** Id of the first link in the email. */
  readonly id: string;
  readonly count: number;
  readonly reasons: readonly string[];
  /** Addresses of the first links. */
  readonly links: readonly string[];
}

/** Emails owners about blocked links (docs/contract.md#24.4). A failed email is retried an hour later. */
@Injectable()
export class BlockMailsService implements OnApplicationBootstrap {
  constructor(
    private readonly notices: BlockNoticesRepository,
    private readonly reads: LinkReads,
    private readonly accounts: AccountsRepository,
    private readonly addresses: LinkAddresses,
    private readonly sender: MailSender,
    private readonly background: BackgroundTasks,
    private readonly http: HttpOptions,
    private readonly site: SiteOptions,
  ) {}

  onApplicationBootstrap(): void {
    const run = (): Promise<void> => this.sendDue();
    this.background.repeat({ name: 'email owners of blocked links', everyMs: CHECK_MS, run });
  }

  async sendDue(): Promise<void> {
    for (;;) {
      const notice = await this.notices.claim();
      if (notice === null) return;
      await this.send(notice);
    }
  }

  private async send(notice: BlockNotice): Promise<void> {
    const { ownerId, since, until } = notice;
    const { count, links } = await this.reads.findBlocked(ownerId, MAX_NAMED, { since, until });
    const [first] = links;
    const account = first === undefined ? null : await this.accounts.findById(ownerId);
    if (first === undefined || account === null) return this.notices.forget(notice);
    const { email } = account;
    const blocked: BlockedLinks = {
      id: first.id,
      count,
      reasons: [...new Set(links.flatMap(({ blocked }) => blocked?.reason ?? []))],
      links: links.map(({ alias }) => this.addresses.find(alias).shortUrl),
    };
    const from = { site: this.site.name, baseUrl: this.http.baseUrl };
    const isSent = await this.sender.send(email, () => blockedMail(email, blocked, from));
    await this.notices.finish(notice, isSent);
  }
}

export function blockedMail(to: string, blocked: BlockedLinks, from: Sender): Mail {
  const { id, count, reasons, links } = blocked;
  const verb = count === 1 ? 'was' : 'were';
  const rest = count - links.length;
  return composeMail(to, from, {
    template: 'blocked',
    subject: `${countNoun(count, 'link')} ${verb} blocked`,
    lead: `${countNoun(count, 'link')} of your account at ${from.site} ${verb} blocked and no longer ${count === 1 ? 'works' : 'work'}.`,
    reason: `${reasons.length === 1 ? 'Reason' : 'Reasons'}: ${reasons.join('; ')}`,
    links: [
      ...links.map((url) => url.replace(/^https?:\/\//, '')),
      ...(rest > 0 ? [`and ${rest} more`] : []),
    ].join('\n'),
    page:
      count === 1
        ? { path: `/dashboard/links/${id}`, action: 'Show the link' }
        : { path: '/dashboard/links?status=BLOCKED', action: 'Show your blocked links' },
  });
}
