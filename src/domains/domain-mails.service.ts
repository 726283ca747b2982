import { Injectable } from '@nestjs/common';
import { AccountsRepository } from '../accounts/account/accounts.repository';
import { composeMail } from '../accounts/mails/account-mails';
import { BackgroundTasks } from '../common/background-tasks';
import { HttpOptions, SiteOptions } from '../config/options';
import type { Domain } from '../stores/domains/domain';
import { type Mail, MailSender, type Sender } from '../infrastructure/mail/mail-sender';
import { type Account, isAdmin } from '../accounts/account/account';
import type { AuditActor } from '../audit-trail/audit-entry';
import { AuditTrailService } from '../audit-trail/audit-trail.service';
import { DomainRegistry } from '../stores/domains/domain-registry';
import { DomainsRepository } from '../stores/domains/domains.repository';
import { challengeName } from './domain-name';
import { SharingRefusedError } from './domains.errors';

export type DomainEvent = 'missing' | 'suspended' | 'taken over' | 'shared' | 'unshared';

@Injectable()
export class DomainMailsService {
  constructor(
    private readonly accounts: AccountsRepository,
    private readonly sender: MailSender,
    private readonly background: BackgroundTasks,
    private readonly http: HttpOptions,
    private readonly site: SiteOptions,
  ) {}

  tell(domain: Domain, event: DomainEvent, end?: Date): void {
    this.background.run(`domain email (${event})`, async () => {
      const account = await this.accounts.findById(domain.ownerId);
      if (account === null) return;
      const { email } = account;
      const from = { site: this.site.name, baseUrl: this.http.baseUrl };
      await this.sender.send(email, () => domainMail(email, domain, event, from, end));
    });
  }
}

export function domainMail(
  to: string,
  { id, fqdn }: Pick<Domain, 'fqdn' | 'id'>,
  event: DomainEvent,
  from: Sender,
  end?: Date,
): Mail {
  const page = { path: `/dashboard/domains/${id}`, action: 'Show the domain' };
  return composeMail(to, from, { ...mailWords(event, fqdn, from.site, end), page });
}

function mailWords(event: DomainEvent, fqdn: string, site: string, end?: Date) {
  const record = `the TXT record ${challengeName(fqdn)}`;
  switch (event) {
    case 'missing':
      return {
        subject: `The DNS record for ${fqdn} is missing`,
        lead: `Your domain ${fqdn} at ${site} is verified by ${record}, which was not found in DNS.`,
        advice: `Restore the record that the domain’s page shows. Otherwise, links on this domain stop working at ${formatTime(end)}.`,
      };
    case 'suspended':
      return {
        subject: `${fqdn} is suspended`,
        lead: `Your domain ${fqdn} at ${site} is suspended and its links do not work, because ${record} has been missing for too long.`,
        advice:
          'Restore the record, then choose “Check now” on the domain’s page. The links then work again.',
      };
    case 'taken over':
      return {
        subject: `${fqdn} now belongs to another account`,
        lead: `Another account at ${site} has verified ${fqdn} while ${record} for your account was missing. Your links on this domain no longer work.`,
        advice:
          'Your links and their statistics are still in your account. If the domain is yours, check who can change its DNS, then add it again.',
      };
    case 'shared':
      return {
        subject: `${fqdn} is now shared with all accounts`,
        lead: `An administrator of ${site} has shared your domain ${fqdn}. All accounts can now create links on it.`,
        advice: 'The domain still belongs to you, and you can stop sharing it at any time.',
      };
    case 'unshared':
      return {
        subject: `${fqdn} is no longer shared`,
        lead: `An administrator of ${site} has stopped sharing your domain ${fqdn}. Other accounts can no longer create links on it.`,
        advice: 'Existing links of other accounts continue to work.',
      };
  }
}

function formatTime(time = new Date(NaN)): string {
  return Number.isNaN(time.getTime())
    ? 'a later time'
    : `${time.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}

/** Limit per installation. */
export const MAX_SHARED = 100;

/** Shares domains with all accounts and ends sharing (docs/contract.md#36). */
@Injectable()
export class DomainSharingService {
  constructor(
    private readonly repository: DomainsRepository,
    private readonly registry: DomainRegistry,
    private readonly accounts: AccountsRepository,
    private readonly mails: DomainMailsService,
    private readonly trail: AuditTrailService,
  ) {}

  /** Idempotent. @throws SharingRefusedError */
  async set(
    domain: Domain,
    isShared: boolean,
    reason: string | null,
    actor: AuditActor,
  ): Promise<Domain> {
    if (domain.isShared === isShared) return domain;
    const changed = isShared
      ? await this.share(domain)
      : await this.repository.unshare(domain.id, new Date());
    if (changed === null) return (await this.repository.findById(domain.id)) ?? domain;
    await this.registry.tellChange(changed);
    await this.trail.add({
      actor,
      act: isShared ? 'domain.share' : 'domain.unshare',
      subject: { kind: 'domain', id: domain.id },
      reason,
      before: { shared: !isShared },
      after: { shared: isShared },
    });
    if (actor.id !== domain.ownerId) this.mails.tell(changed, isShared ? 'shared' : 'unshared');
    return changed;
  }

  /** Null if the domain was shared concurrently. */
  private async share({ id, ownerId }: Domain): Promise<Domain | null> {
    const owner = await this.accounts.findById(ownerId);
    const taken = await this.repository.takenSharedPlaces();
    for (let place = 0; place <= MAX_SHARED; place++) {
      if (taken.has(place)) continue;
      const present = await this.repository.findById(id);
      if (present?.isShared === true) return null;
      const objection = sharingObjection(present, owner);
      if (objection !== null) throw new SharingRefusedError(objection);
      if (place === MAX_SHARED) break;
      const shared = await this.repository.share(id, place, new Date());
      if (shared !== null) return shared;
    }
    throw new SharingRefusedError(`At most ${MAX_SHARED} domains can be shared`);
  }
}

/** Returns why the domain cannot be shared; null if it can. */
export function sharingObjection(
  domain: Pick<Domain, 'status'> | null,
  owner: Pick<Account, 'role' | 'emailVerified' | 'suspended' | 'deletesAt'> | null,
): string | null {
  if (domain?.status !== 'active') return 'Only an active domain can be shared';
  if (owner === null || !isAdmin(owner))
    return 'Only a domain that belongs to an admin can be shared';
  return null;
}
