import { Injectable, OnModuleDestroy } from '@nestjs/common';
import { StartingError } from '../../common/errors';
import { AppLog } from '../../common/log';
import { withTimeout } from '../../common/with-timeout';
import { ChangeBus } from '../../infrastructure/change-bus/bus';
import { answersFor, type Domain, isHeld, type KnownDomain } from './domain';
import { DomainsRepository } from './domains.repository';

/** A change whose message was lost is seen after this time. */
const DOMAINS_KEPT_MS = 30_000;
/** A database that hangs is asked again. */
const READ_TIMEOUT_MS = 10_000;
/** How long they are believed while changes made elsewhere may not be heard. */
const DOUBTFUL_DOMAINS_MS = 800;

type DomainMessage = { readonly domain: KnownDomain } | { readonly removed: string };

const NO_DOMAINS: readonly KnownDomain[] = [];

/**
 * The domains that are or were active, in the memory of every web process: requests are answered by
 * them without a read, also while the database is away. A change is told to all processes with what
 * it makes of the domain, and all are read again from time to time.
 */
@Injectable()
export class DomainRegistry implements OnModuleDestroy {
  private domains = new Map<string, KnownDomain>();
  private readonly byHost = new Map<string, KnownDomain[]>();
  private readonly byOwner = new Map<string, KnownDomain[]>();
  /** Ids of which was told while all are being read: the reading may be older. */
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

  /** Resolves after the first attempt to read them, which is repeated until there was one. */
  async start(): Promise<void> {
    this.timer = setInterval(() => void this.refresh(), DOUBTFUL_DOMAINS_MS).unref();
    await this.refresh();
  }

  onModuleDestroy(): void {
    clearInterval(this.timer);
  }

  /** False until the domains were read for the first time. */
  get isLoaded(): boolean {
    return this.loaded;
  }

  /**
   * The domain that answers for a host: an active or suspended one, else one that was revoked;
   * undefined where the host is none of ours, or was never proved.
   *
   * @param host in lower case, without a port and a dot at its end
   */
  find(host: string): KnownDomain | undefined {
    return this.byHost.get(host)?.[0];
  }

  /** A domain that is or was active, by its id. */
  findById(id: string): KnownDomain | undefined {
    return this.domains.get(id);
  }

  /**
   * The account's domains that are or were active.
   *
   * @throws StartingError while they are being read for the first time
   */
  ofOwner(ownerId: string): readonly KnownDomain[] {
    if (this.timer !== undefined && !this.loaded) throw new StartingError();
    return this.byOwner.get(ownerId) ?? NO_DOMAINS;
  }

  /** The account's domain of that name, if it is active. */
  findActive(ownerId: string, fqdn: string): KnownDomain | undefined {
    const isMeant = (domain: KnownDomain) => domain.fqdn === fqdn && domain.status === 'active';
    return this.ofOwner(ownerId).find(isMeant);
  }

  /** The account's default domain, if it has one and that is active. */
  findDefault(ownerId: string): KnownDomain | undefined {
    const isMeant = (domain: KnownDomain) => domain.isDefault && domain.status === 'active';
    return this.ofOwner(ownerId).find(isMeant);
  }

  /** To be called after a change was stored; resolves when the processes of this machine know it. */
  tellChange(domain: Domain): Promise<void> {
    if (domain.lastVerifiedAt === null) return Promise.resolve();
    const { id, ownerId, fqdn, status, isDefault, revision } = domain;
    const { rootRedirect, notFoundRedirect, robots, appLinks } = domain;
    const settings = { rootRedirect, notFoundRedirect, robots, appLinks };
    return this.publish({
      domain: { id, ownerId, fqdn, status, isDefault, revision, ...settings },
    });
  }

  /** To be called after a domain was removed. */
  tellRemoval(id: string): Promise<void> {
    return this.publish({ removed: id });
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

  private async refresh(): Promise<void> {
    const isBelieved = this.loaded && this.bus.isWhole;
    if (performance.now() - this.readAt < (isBelieved ? DOMAINS_KEPT_MS : DOUBTFUL_DOMAINS_MS))
      return;
    this.reading ??= this.read().finally(() => (this.reading = null));
    await this.reading;
  }

  /** Leaves everything as it is when the database does not answer. */
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
      this.log.debug('The domains could not be read again', { err: error });
    } finally {
      this.told = null;
    }
  }

  private put(domain: KnownDomain): void {
    this.drop(domain.id);
    this.domains.set(domain.id, domain);
    addDomain(this.byOwner, domain.ownerId, domain);
    if (answersFor(domain)) addDomain(this.byHost, domain.fqdn, domain);
  }

  private drop(id: string): void {
    const domain = this.domains.get(id);
    if (domain === undefined) return;
    this.domains.delete(id);
    removeFromMap(this.byOwner, domain.ownerId, domain);
    removeFromMap(this.byHost, domain.fqdn, domain);
  }
}

/** The one that holds its name comes first. */
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
  throw new Error('The database did not tell the domains in time');
}
