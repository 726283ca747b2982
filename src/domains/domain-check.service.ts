import { Injectable, OnApplicationBootstrap } from '@nestjs/common';
import { DomainOptions, HttpOptions } from '../config/options';
import type { DnsFindings, Domain } from '../stores/domains/domain';
import { DomainRegistry } from '../stores/domains/domain-registry';
import { DomainsRepository } from '../stores/domains/domains.repository';
import { BackgroundTasks } from '../common/background-tasks';
import { MINUTE_MS } from '../common/time';
import { LinkReads } from '../stores/links/link-reads.repository';
import { DnsChecks, type DnsQuestions, type TxtAnswer } from './dns-questions';
import { DomainMailsService } from './domain-mails.service';
import { challengeName, challengeText, isPublicName } from './domain-name';

/** Other machines skip a domain for this long, unless the check sets a later time. */
const RECHECK_LEASE_MS = MINUTE_MS;
const MAX_LOOK_MS = MINUTE_MS;
const MAX_DUE = 200;
/** Number of concurrent checks, low enough to leave room for checks that users start. */
const WIDTH = 8;

/** Checks domains on request and at intervals (docs/contract.md#25.2). */
@Injectable()
export class DomainCheckService {
  private readonly host: string;

  constructor(
    private readonly repository: DomainsRepository,
    private readonly registry: DomainRegistry,
    private readonly dns: DnsChecks,
    private readonly mails: DomainMailsService,
    private readonly options: DomainOptions,
    http: HttpOptions,
  ) {
    this.host = new URL(http.baseUrl).hostname;
  }

  /** Returns the updated domain; null if the domain was removed or revoked during the check. */
  async check(domain: Domain): Promise<Domain | null> {
    const ask = (questions: DnsQuestions) => this.ask(domain, questions);
    const found = await this.dns.run(domain.ownerId, ask, () => SILENCE);
    const now = new Date();
    const changed =
      domain.status === 'pending'
        ? await this.judgePending(domain, found, now)
        : await this.judgeHeld(domain, found, now);
    if (changed !== null) await this.registry.tellChange(changed);
    return changed;
  }

  /** The addresses are for the owner and do not affect the check. */
  private async ask({ fqdn, token }: Domain, questions: DnsQuestions): Promise<Findings> {
    const { publicAddresses } = this.options;
    const isKnown = publicAddresses.length > 0 || !isPublicName(this.host);
    const [txt, own, wanted] = await Promise.all([
      questions.texts(challengeName(fqdn)),
      questions.addresses(fqdn),
      isKnown ? publicAddresses : questions.addresses(this.host),
    ]);
    // Without a response about this service, addresses cannot be compared.
    const addresses = wanted === null && own?.length !== 0 ? null : own;
    const matches = Boolean(addresses?.length && addresses.every((each) => wanted?.includes(each)));
    const texts = proves(txt, token) ? [challengeText(token)] : textsOf(txt);
    return { txt, dns: { texts, addresses: addresses?.slice(0, MAX_FOUND) ?? null, matches } };
  }

  private async judgePending(
    domain: Domain,
    { txt, dns }: Findings,
    now: Date,
  ): Promise<Domain | null> {
    const kept = dns ?? domain.dns;
    if (!proves(txt, domain.token)) {
      return this.repository.noteFailure(domain.id, failure(domain.fqdn, txt), kept);
    }
    const holder = await this.repository.findHolder(domain.fqdn);
    if (holder !== null) {
      if (proves(txt, holder.token)) return this.repository.noteFailure(domain.id, BOTH, kept);
      await this.takeFrom(holder, now);
    }
    const checkAt = new Date(now.getTime() + this.options.recheck.everyMs);
    const active = await this.repository.activate(domain.id, kept, now, checkAt);
    return active ?? this.repository.noteFailure(domain.id, BOTH, kept);
  }

  /** Revokes the holder's domain, because another account has proved ownership. */
  private async takeFrom(holder: Domain, now: Date): Promise<void> {
    const revoked = await this.repository.revoke(holder.id, now);
    if (revoked === null) return;
    await this.registry.tellChange(revoked);
    this.mails.tell(revoked, 'taken over');
  }

  /** A failed DNS query does not count as a missing record. */
  private async judgeHeld(
    domain: Domain,
    { txt, dns }: Findings,
    now: Date,
  ): Promise<Domain | null> {
    const { everyMs, graceMs } = this.options.recheck;
    const next = now.getTime() + everyMs;
    const kept = dns ?? domain.dns;
    if (proves(txt, domain.token)) {
      const right = { status: domain.status === 'suspended' ? 'active' : undefined } as const;
      const found = { ...right, lastVerifiedAt: now, failingSince: null, error: null, dns: kept };
      return this.repository.noteCheck(domain.id, found, new Date(next), now);
    }
    const error = failure(domain.fqdn, txt);
    if (txt === 'silence') {
      return this.repository.noteCheck(domain.id, { error, dns: kept }, new Date(next), now);
    }
    const failingSince = domain.failingSince ?? now;
    const end = failingSince.getTime() + graceMs;
    const isOver = domain.status === 'active' && now.getTime() >= end;
    const found = { ...(isOver && { status: 'suspended' as const }), failingSince, error };
    const checkAt = new Date(domain.status === 'active' && !isOver ? Math.min(next, end) : next);
    const noted = await this.repository.noteCheck(domain.id, { ...found, dns: kept }, checkAt, now);
    if (noted === null) return null;
    if (isOver) this.mails.tell(noted, 'suspended');
    else if (domain.failingSince === null) this.mails.tell(noted, 'missing', new Date(end));
    return noted;
  }
}

/** Checks due domains again, each on one machine, and revokes expired ones (contract 25.2). */
@Injectable()
export class DomainRechecks implements OnApplicationBootstrap {
  constructor(
    private readonly repository: DomainsRepository,
    private readonly registry: DomainRegistry,
    private readonly checks: DomainCheckService,
    private readonly links: LinkReads,
    private readonly options: DomainOptions,
    private readonly background: BackgroundTasks,
  ) {}

  onApplicationBootstrap(): void {
    const { everyMs, graceMs } = this.options.recheck;
    this.background.repeat({
      name: 'recheck the domains',
      everyMs: Math.max(Math.min(everyMs, graceMs, 2 * MAX_LOOK_MS) / 2, 500),
      run: () => this.look(new Date()),
    });
  }

  /** Checks due domains. A failed check is due again when its lease expires. */
  private async look(now: Date): Promise<void> {
    let left = MAX_DUE;
    const takeSome = async (): Promise<void> => {
      while (left-- > 0) {
        const due = await this.repository.takeDue(now, new Date(now.getTime() + RECHECK_LEASE_MS));
        if (due === null) return;
        await this.attend(due, now);
      }
    };
    await Promise.all(Array.from({ length: WIDTH }, takeSome));
  }

  private async attend(domain: Domain, now: Date): Promise<void> {
    if (domain.status === 'revoked') {
      await this.removeIfUnused(domain);
      return;
    }
    if (domain.status !== 'pending') {
      await this.checks.check(domain);
      return;
    }
    if (domain.lastVerifiedAt === null) {
      await this.repository.removeUnproved(domain.id);
      return;
    }
    // The domain's links stay in the account.
    const revoked = await this.repository.revoke(domain.id, now);
    if (revoked !== null) await this.registry.tellChange(revoked);
  }

  /** For domains whose owner's account was deleted: other accounts' links need the name. */
  private async removeIfUnused({ id }: Domain): Promise<void> {
    if ((await this.links.countIn(id, 1)) > 0) return;
    if (await this.repository.removeRevoked(id)) await this.registry.tellRemoval(id);
  }
}

interface Findings {
  readonly txt: TxtAnswer;
  readonly dns: DnsFindings | null;
}

const SILENCE: Findings = { txt: 'silence', dns: null };
/** Maximum number of records and characters of each to store. */
const MAX_FOUND = 20;
const MAX_TEXT = 255;

const proves = (txt: TxtAnswer, token: string): boolean =>
  typeof txt === 'object' && txt.texts.includes(challengeText(token));

function textsOf(txt: TxtAnswer): string[] | null {
  if (txt === 'silence') return null;
  return txt === 'none' ? [] : txt.texts.slice(0, MAX_FOUND).map((text) => text.slice(0, MAX_TEXT));
}

const BOTH =
  'The record is right, but another account uses this name and its record still exists. Remove that record, then check again';

function failure(fqdn: string, txt: TxtAnswer): string {
  const name = challengeName(fqdn);
  if (txt === 'none') return `There is no TXT record ${name}`;
  if (txt === 'silence') return `DNS did not answer the query for the TXT record ${name}`;
  return `The TXT record ${name} does not have the required value`;
}
