import { Injectable } from '@nestjs/common';
import { HttpOptions } from '../../config/options';
import { hostName } from '../../common/host';
import { keyOfCode, placeOfKey } from '../links/alias-form';
import type { KnownDomain } from './domain';
import { DomainRegistry } from './domain-registry';

export interface LinkAddress {
  /** The custom domain's name; null for BASE_URL's host. */
  readonly domain: string | null;
  readonly alias: string;
  readonly shortUrl: string;
}

/** Converts stored aliases, which contain a domain id, to addresses (docs/contract.md#25.8). */
@Injectable()
export class LinkAddresses {
  private readonly scheme: string;
  private readonly port: string;

  constructor(
    private readonly registry: DomainRegistry,
    private readonly http: HttpOptions,
  ) {
    const { protocol, port } = new URL(http.baseUrl);
    this.scheme = `${protocol}//`;
    this.port = port && `:${port}`;
  }

  find(key: string): LinkAddress {
    const { domainId, alias } = placeOfKey(key);
    const domain = domainId === null ? null : this.findDomainName(domainId);
    return { domain, alias, shortUrl: `${this.domainOrigin(domain)}/${alias}` };
  }

  /** Returns the origin for a domain's short URLs; null means BASE_URL's host. */
  domainOrigin(domain: string | null): string {
    return domain === null ? this.http.baseUrl : this.scheme + domain + this.port;
  }

  /** Returns the alias as shown in statistics: with the domain, unless it is BASE_URL's host. */
  statisticsLabel(key: string): string {
    const { domain, alias } = this.find(key);
    return domain === null ? alias : `${domain}/${alias}`;
  }

  /**
   * Finds the account's domains and those that are or were shared in any status, other domains only
   * if they are active.
   */
  keyAt(fqdn: string | null, code: string, ownerId: string | null = null): string | null {
    if (fqdn === null) return keyOfCode(null, code);
    const name = hostName(fqdn);
    const used = ownerId === null ? [] : this.registry.usedBy(ownerId);
    const named = used.filter(({ fqdn }) => fqdn === name);
    const holder = this.registry.find(name);
    const domain =
      named.find((each) => each.ownerId === ownerId || each === holder) ??
      (holder?.status === 'active' ? holder : named[0]);
    return domain === undefined ? null : keyOfCode(domain.id, code);
  }

  keyOfLabel(label: string, ownerId: string | null): string | null {
    const slash = label.indexOf('/');
    if (slash === -1) return keyOfCode(null, label);
    return this.keyAt(label.slice(0, slash), label.slice(slash + 1), ownerId);
  }

  placesOf(ownerId: string): { baseUrl: string; domains: readonly KnownDomain[] } {
    return { baseUrl: this.http.baseUrl, domains: this.registry.usedBy(ownerId) };
  }

  /** Returns the id itself if the domain is unknown because another machine has just created it. */
  private findDomainName(domainId: string): string {
    return this.registry.findById(domainId)?.fqdn ?? domainId;
  }
}
