import { Injectable, OnModuleDestroy } from '@nestjs/common';
import { StartingError } from '../../common/errors';
import { AppLog } from '../../common/log';
import { withTimeout } from '../../common/with-timeout';
import { ChangeBus } from '../../infrastructure/change-bus/bus';
import { hostName } from '../../common/host';
import { HttpOptions } from '../../config/options';
import { answersFor, type Domain, isHeld, type KnownDomain } from './domain';
import { DomainsRepository } from './domains.repository';

/** Null: BASE_URL's host or, without STRICT_HOSTS, any host. `closed`: an inactive domain. */
type RequestedHost = KnownDomain | 'closed' | 'unknown' | 'loading' | null;

/**
 * Caches all domains that are or were active, so that requests do not read the database. A change is
 * published together with the new domain, and all domains are reloaded periodically.
 */
@Injectable()
export class DomainRegistry implements OnModuleDestroy {
  private domains = new Map<string, KnownDomain>();
  private readonly byHost = new Map<string, KnownDomain[]>();
  private readonly byOwner = new Map<string, KnownDomain[]>();
  /** Domains that are or were shared, by id. */
  private readonly everShared = new Map<string, KnownDomain>();
  /** Ids of domains changed during a reload, for which the reload's result may be outdated. */
  private told: Set<string> | null = null;
  private reading: Promise<void> | null = null;
  private readAt = -Infinity;
  private loaded = false;
  private timer?: NodeJS.Timeout;

  constructor(
    private readonly repository: DomainsRepository,
    private readonly bus: ChangeBus,
    private readonly log: AppLog,
  ) {
    bus.subscribe('domains.changed', (message) => this.hear(message as DomainMessage));
    bus.onGap(() => (this.readAt = -Infinity));
  }

  /** Resolves after the first loading attempt; later attempts run in the background. */
  async start(): Promise<void> {
    this.timer = setInterval(() => void this.refresh(), DOUBTFUL_DOMAINS_MS).unref();
    await this.refresh();
  }

  onModuleDestroy(): void {
    clearInterval(this.timer);
  }

  get isLoaded(): boolean {
    return this.loaded;
  }

  /** Undefined if the name was never verified; `host` is lower-case, without port or final dot. */
  find(host: string): KnownDomain | undefined {
    this.requireLoaded();
    return this.byHost.get(host)?.[0];
  }

  /** @throws StartingError before domains are loaded */
  findById(id: string): KnownDomain | undefined {
    this.requireLoaded();
    return this.domains.get(id);
  }

  /** @throws StartingError before domains are loaded */
  ofOwner(ownerId: string): readonly KnownDomain[] {
    this.requireLoaded();
    return this.byOwner.get(ownerId) ?? NO_DOMAINS;
  }

  /** The account's own domains, then other domains on which it may have links. */
  usedBy(ownerId: string): readonly KnownDomain[] {
    const own = this.ofOwner(ownerId);
    if (this.everShared.size === 0) return own;
    const others = [...this.everShared.values()].filter((domain) => domain.ownerId !== ownerId);
    return [...own, ...others.filter(isHeld), ...others.filter((domain) => !isHeld(domain))];
  }

  /** Other accounts' domains that are shared, by name. */
  sharedWith(ownerId: string): KnownDomain[] {
    return this.usedBy(ownerId)
      .filter((domain) => domain.isShared && domain.ownerId !== ownerId)
      .sort((a, b) => (a.fqdn < b.fqdn ? -1 : 1));
  }

  /** Finds an active domain that the account owns or that is shared. */
  findActive(ownerId: string, fqdn: string): KnownDomain | undefined {
    const isUsable = (domain: KnownDomain) =>
      domain.fqdn === fqdn &&
      domain.status === 'active' &&
      (domain.isShared || domain.ownerId === ownerId);
    return this.usedBy(ownerId).find(isUsable);
  }

  /** Undefined if the account has no default domain, or the domain is not active. */
  findDefault(ownerId: string): KnownDomain | undefined {
    const isMeant = (domain: KnownDomain) => domain.isDefault && domain.status === 'active';
    return this.ofOwner(ownerId).find(isMeant);
  }

  /** Call after a change is stored; resolves once all processes on this machine have it. */
  tellChange(domain: Domain): Promise<void> {
    if (domain.lastVerifiedAt === null) return Promise.resolve();
    const { id, ownerId, fqdn, status, isDefault, isShared, wasShared, revision } = domain;
    const { rootRedirect, notFoundRedirect, robots, appLinks } = domain;
    const settings = { rootRedirect, notFoundRedirect, robots, appLinks };
    return this.publish({
      domain: { id, ownerId, fqdn, status, isDefault, isShared, wasShared, revision, ...settings },
    });
  }

  tellRemoval(id: string): Promise<void> {
    return this.publish({ removed: id });
  }

  private requireLoaded(): void {
    if (this.timer !== undefined && !this.loaded) throw new StartingError();
  }

  private publish(message: DomainMessage): Promise<void> {
    return this.bus.publish('domains.changed', message);
  }

  private hear(message: DomainMessage): void {
    if ('removed' in message) {
      this.told?.add(message.removed);
      this.drop(message.removed);
      return;
    }
    const { domain } = message;
    this.told?.add(domain.id);
    const known = this.domains.get(domain.id);
    if (known === undefined || known.revision < domain.revision) this.put(domain);
  }

  /** Reloads the domains if they may be outdated. */
  async refresh(): Promise<void> {
    const isBelieved = this.loaded && this.bus.isWhole;
    if (performance.now() - this.readAt < (isBelieved ? DOMAINS_KEPT_MS : DOUBTFUL_DOMAINS_MS))
      return;
    this.reading ??= this.read().finally(() => (this.reading = null));
    await this.reading;
  }

  /** If the database does not respond, the cached domains are kept. */
  private async read(): Promise<void> {
    const startedAt = performance.now();
    const notified = (this.told = new Set<string>());
    try {
      const found = await withTimeout(this.repository.findKnown(), READ_TIMEOUT_MS, rejectSlow);
      const ids = new Set(found.map(({ id }) => id));
      for (const id of this.domains.keys()) if (!ids.has(id) && !notified.has(id)) this.drop(id);
      for (const domain of found) {
        const isNew = this.domains.get(domain.id)?.revision !== domain.revision;
        if (isNew && !notified.has(domain.id)) this.put(domain);
      }
      this.loaded = true;
      this.readAt = startedAt;
    } catch (error) {
      this.log.debug('Could not re-read the domains', { err: error });
    } finally {
      this.told = null;
    }
  }

  private put(domain: KnownDomain): void {
    this.drop(domain.id);
    this.domains.set(domain.id, domain);
    addDomain(this.byOwner, domain.ownerId, domain);
    if (answersFor(domain)) addDomain(this.byHost, domain.fqdn, domain);
    if (domain.wasShared) this.everShared.set(domain.id, domain);
  }

  private drop(id: string): void {
    const domain = this.domains.get(id);
    if (domain === undefined) return;
    this.domains.delete(id);
    removeFromMap(this.byOwner, domain.ownerId, domain);
    removeFromMap(this.byHost, domain.fqdn, domain);
    this.everShared.delete(id);
  }
}

@Injectable()
export class RequestedHosts {
  private readonly own: string;
  private readonly ownName: string;
  private readonly isStrict: boolean;

  constructor(
    private readonly registry: DomainRegistry,
    { baseUrl, strictHosts }: HttpOptions,
  ) {
    this.own = new URL(baseUrl).host;
    this.ownName = hostName(this.own);
    this.isStrict = strictHosts;
  }

  /** @param host valid Host header, or undefined; BASE_URL's host is checked first */
  find(host: string | undefined): RequestedHost {
    if (host === this.own || host === undefined || host === '') return null;
    const name = hostName(host);
    if (name === this.ownName) return null;
    if (!this.registry.isLoaded) return 'loading';
    const domain = this.registry.find(name);
    if (domain === undefined) return this.isStrict ? 'unknown' : null;
    return domain.status === 'active' ? domain : 'closed';
  }
}

/** Maximum age of a cached domain if a change message is lost. */
const DOMAINS_KEPT_MS = 30_000;
const READ_TIMEOUT_MS = 10_000;
/** Maximum age of a cached domain while change messages may be lost. */
const DOUBTFUL_DOMAINS_MS = 800;

type DomainMessage = { readonly domain: KnownDomain } | { readonly removed: string };

const NO_DOMAINS: readonly KnownDomain[] = [];

/** Puts the domain that holds the name first. */
function addDomain(map: Map<string, KnownDomain[]>, key: string, domain: KnownDomain): void {
  const others = map.get(key) ?? [];
  map.set(key, isHeld(domain) ? [domain, ...others] : [...others, domain]);
}

function removeFromMap(map: Map<string, KnownDomain[]>, key: string, domain: KnownDomain): void {
  const others = (map.get(key) ?? []).filter((candidate) => candidate !== domain);
  if (others.length === 0) map.delete(key);
  else map.set(key, others);
}

function rejectSlow(): never {
  throw new Error('The database did not return the domains in time');
}
