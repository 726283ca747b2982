import { createHmac } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { Principal } from '../auth/access';
import { DAY_MS } from '../common/time';
import { toPage } from '../common/openapi/properties';
import { DomainOptions, HttpOptions, TokenOptions } from '../config/options';
import { type Domain, type DomainChange, isHeld } from '../stores/domains/domain';
import { DomainRegistry } from '../stores/domains/domain-registry';
import { DomainsRepository } from '../stores/domains/domains.repository';
import type { ChosenId } from '../idempotency/attempt';
import { LinkReads } from '../stores/links/link-reads.repository';
import { RemovalService } from '../links/removal/removal.service';
import { DomainSharingService } from './domain-mails.service';
import { DomainCheckService } from './domain-check.service';
import type { ListDomainsDto } from './domain.dto';
import {
  domainLinkCounts,
  type DomainPageResponse,
  type DomainResponse,
  type RemovedDomainResponse,
  type SharedDomainPageResponse,
  toDomainResponse,
} from './domain.response';
import { isWithin, readDomainName } from './domain-name';
import {
  DomainCapError,
  DomainHasBlockedLinksError,
  DomainHasLinksError,
  DomainHasOthersLinksError,
  DomainKnownError,
  DomainNameError,
  DomainNotActiveError,
  DomainNotRevokedError,
  DomainRevokedError,
  DomainSharedError,
  MAX_CASCADE,
  MAX_DOMAINS,
  SharingRefusedError,
  TooManyDomainLinksError,
  UnknownDomainError,
  OwnDomainTargetError,
} from './domains.errors';
import { LinkValidationService } from '../links/making/link-validation.service';

/** Redirect URLs for domains follow the rules for links and must not lead to this service. */
@Injectable()
export class RedirectTargets {
  constructor(
    private readonly registry: DomainRegistry,
    private readonly validation: LinkValidationService,
    private readonly http: HttpOptions,
  ) {}

  async refuseBad(field: string, url: string | null | undefined): Promise<void> {
    if (url === undefined || url === null) return;
    await this.validation.checkDestination(url, field);
    if (this.isOwnDomain(new URL(url))) throw new OwnDomainTargetError(field);
  }

  private isOwnDomain({ hostname, port }: URL): boolean {
    const domain = this.registry.find(hostname.replace(/\.$/, ''));
    if (domain === undefined || !isHeld(domain)) return false;
    return port === '' || port === new URL(this.http.baseUrl).port;
  }
}

const PENDING_MS = 30 * DAY_MS;
/** Maximum number of attempts if another domain becomes the default concurrently. */
const DEFAULT_ATTEMPTS = 3;

@Injectable()
export class DomainsService {
  private readonly host: string;

  constructor(
    private readonly repository: DomainsRepository,
    private readonly registry: DomainRegistry,
    private readonly checks: DomainCheckService,
    private readonly links: LinkReads,
    private readonly removal: RemovalService,
    private readonly targets: RedirectTargets,
    private readonly sharing: DomainSharingService,
    private readonly options: DomainOptions,
    private readonly tokens: TokenOptions,
    http: HttpOptions,
  ) {
    this.host = new URL(http.baseUrl).hostname;
  }

  async list(query: ListDomainsDto, { ownerId }: Principal): Promise<DomainPageResponse> {
    const { page, pageSize } = query;
    const [total, domains] = await Promise.all([
      this.repository.countByOwner(ownerId),
      this.repository.findSome(ownerId, (page - 1) * pageSize, pageSize),
    ]);
    const items = await Promise.all(domains.map((domain) => this.answer(domain)));
    return toPage(items, query, total);
  }

  /** Returns other accounts' shared domains. */
  listShared(query: ListDomainsDto, { ownerId }: Principal): SharedDomainPageResponse {
    const { page, pageSize } = query;
    const domains = this.registry.sharedWith(ownerId);
    const items = domains
      .slice((page - 1) * pageSize, page * pageSize)
      .map(({ fqdn, status }) => ({ fqdn, status, shared: true as const }));
    return toPage(items, query, domains.length);
  }

  async show(id: string, { ownerId }: Principal): Promise<DomainResponse> {
    return this.answer(await this.ownDomain(id, ownerId));
  }

  /** @param chosen id for the new domain, which may already exist after a retry */
  async create(fqdn: string, { ownerId }: Principal, chosen: ChosenId): Promise<DomainResponse> {
    const name = readDomainName(fqdn);
    if (name === null) throw new DomainNameError('unreadable');
    if (isWithin(name, this.host)) throw new DomainNameError('ours');
    const before = await this.repository.findOwnByName(name, ownerId);
    if (before !== null && chosen.isRepeated && before.status === 'pending') {
      return this.answer(before);
    }
    if (before !== null && before.status !== 'revoked') throw new DomainKnownError(name);
    return this.answer(await this.place(name, ownerId, chosen.id, before));
  }

  async verify(id: string, { ownerId }: Principal): Promise<DomainResponse> {
    const domain = await this.ownDomain(id, ownerId);
    if (domain.status === 'revoked') throw new DomainRevokedError();
    const checked = await this.checks.check(domain);
    return this.answer(checked ?? (await this.ownDomain(id, ownerId)));
  }

  async update(
    id: string,
    { isShared, ...change }: DomainChange,
    caller: Principal,
  ): Promise<DomainResponse> {
    const domain = await this.ownDomain(id, caller.ownerId);
    if (isShared === true && !domain.isShared)
      throw new SharingRefusedError('Only admins can share a domain');
    const isSharingOnly = isShared !== undefined && !hasChange(change);
    if (isSharingOnly) return this.answer(await this.setShared(domain, isShared, caller));
    if (domain.status !== 'active') throw new DomainNotActiveError();
    await this.targets.refuseBad('root_redirect', change.rootRedirect);
    await this.targets.refuseBad('not_found_redirect', change.notFoundRedirect);
    const changed = await this.store(domain, change);
    if (changed === null) throw new DomainNotActiveError();
    await this.registry.tellChange(changed);
    return this.answer(await this.setShared(changed, isShared ?? changed.isShared, caller));
  }

  /** Deletes a domain that was never active, otherwise revokes it. `cascade` deletes its links. */
  async remove(
    id: string,
    cascade: boolean,
    { ownerId }: Principal,
  ): Promise<RemovedDomainResponse> {
    const domain = await this.ownDomain(id, ownerId);
    if (domain.isShared) throw new DomainSharedError();
    const deleted = cascade ? await this.removeLinks(domain) : 0;
    if (domain.lastVerifiedAt === null) {
      await this.repository.removeUnproved(id);
    } else {
      const revoked = await this.repository.revokeUnshared(id, new Date());
      if (revoked !== null) await this.registry.tellChange(revoked);
      else if ((await this.ownDomain(id, ownerId)).isShared) throw new DomainSharedError();
    }
    return { id, fqdn: domain.fqdn, cascade, urls_deleted: deleted };
  }

  async removeForGood(id: string, { ownerId }: Principal): Promise<void> {
    const domain = await this.ownDomain(id, ownerId);
    if (domain.status !== 'revoked') throw new DomainNotRevokedError();
    const { links_of_others: others } = await domainLinkCounts(domain, this.links);
    if (others > 0) throw new DomainHasOthersLinksError(others);
    const own = { isChangeable: true } as const;
    if ((await this.links.countIn(id, 1, own)) > 0) throw new DomainHasLinksError();
    const blocked = await this.links.countIn(id);
    if (blocked > 0) throw new DomainHasBlockedLinksError(blocked);
    if (await this.repository.removeRevoked(id)) await this.registry.tellRemoval(id);
  }

  private async ownDomain(id: string, ownerId: string): Promise<Domain> {
    const domain = await this.repository.findOwn(id, ownerId);
    if (domain === null) throw new UnknownDomainError();
    return domain;
  }

  private async answer(domain: Domain): Promise<DomainResponse> {
    const counts = await domainLinkCounts(domain, this.links);
    const target = { host: this.host, addresses: this.options.publicAddresses };
    return toDomainResponse(domain, counts, target);
  }

  private setShared(domain: Domain, isShared: boolean, { userId }: Principal): Promise<Domain> {
    return this.sharing.set(domain, isShared, null, { id: userId, via: 'app' });
  }

  /** Creates the domain or restores a revoked one, within the owner's limit. */
  private async place(
    fqdn: string,
    ownerId: string,
    id: string,
    before: Domain | null,
  ): Promise<Domain> {
    const taken = await this.repository.takenPlaces(ownerId);
    const token = this.challengeToken(ownerId, fqdn);
    for (let place = 0; place < MAX_DOMAINS; place++) {
      if (taken.has(place)) continue;
      const now = new Date();
      const giveUpAt = new Date(now.getTime() + PENDING_MS);
      const placed =
        before === null
          ? await this.repository.insert({ id, ownerId, fqdn, token }, place, now, giveUpAt)
          : await this.repository.revive(before.id, place, now, giveUpAt);
      if (placed !== null) {
        await this.registry.tellChange(placed);
        return placed;
      }
      const existing = await this.repository.findOwnByName(fqdn, ownerId);
      if (existing !== null && existing.status !== 'revoked') throw new DomainKnownError(fqdn);
    }
    throw new DomainCapError();
  }

  /** The token is derived from owner and name, so that an existing DNS record stays valid. */
  private challengeToken(ownerId: string, fqdn: string): string {
    const key = `domain|${this.tokens.secret}`;
    return createHmac('sha256', key).update(`${ownerId}|${fqdn}`).digest('hex').slice(0, 32);
  }

  private async store(domain: Domain, change: DomainChange): Promise<Domain | null> {
    const { id, ownerId } = domain;
    const { isDefault, ...settings } = change;
    const changesDefault = isDefault !== undefined && isDefault !== domain.isDefault;
    if (!changesDefault && !hasChange(settings)) return domain;
    for (let attempt = 0; attempt < DEFAULT_ATTEMPTS; attempt++) {
      if (change.isDefault === true) {
        const previousDefault = await this.repository.clearDefault(ownerId, id, new Date());
        if (previousDefault !== null) await this.registry.tellChange(previousDefault);
      }
      const changed = await this.repository.change(id, ownerId, change, new Date());
      if (changed !== null) return changed;
    }
    return null;
  }

  private async removeLinks({ id, fqdn, ownerId }: Domain): Promise<number> {
    const own = { isChangeable: true, ownerId } as const;
    const links = await this.links.findIn(id, MAX_CASCADE + 1, own);
    if (links.length > MAX_CASCADE) throw new TooManyDomainLinksError(fqdn);
    const removed = new Map<string, string>();
    if (links.length > 0) await this.removal.removeMany(links, ownerId, removed);
    return removed.size;
  }
}

function hasChange(change: object): boolean {
  return Object.values(change).some((value) => value !== undefined);
}
