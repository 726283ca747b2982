import { Injectable } from '@nestjs/common';
import { HttpOptions } from '../../config/options';
import { hostName } from '../../common/host';
import { keyOfCode, placeOfKey } from '../links/alias-form';
import type { KnownDomain } from './domain';
import { DomainRegistry } from './domain-registry';

/** Where a link is reached. */
export interface LinkAddress {
  /** Null = BASE_URL's host. */
  readonly domain: string | null;
  readonly alias: string;
  readonly shortUrl: string;
}

/** The addresses of links, whose stored alias names a domain by its id (docs/contract.md#25.8). */
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

  /** The address of the link with that stored alias. */
  find(key: string): LinkAddress {
    const { domainId, alias } = placeOfKey(key);
    const domain = domainId === null ? null : this.findDomainName(domainId);
    return { domain, alias, shortUrl: `${this.domainOrigin(domain)}/${alias}` };
  }

  /** Stands before the aliases of a domain; of BASE_URL's host where that is null. */
  domainOrigin(domain: string | null): string {
    return domain === null ? this.http.baseUrl : this.scheme + domain + this.port;
  }

  /** An alias as statistics name it: on another domain than BASE_URL's host with that before it. */
  statisticsLabel(key: string): string {
    const { domain, alias } = this.find(key);
    return domain === null ? alias : `${domain}/${alias}`;
  }

  /**
   * The stored alias of a code on a domain by its name, null = BASE_URL's host; null where there can
   * be none. An account's own domain counts whatever its status, another one while it is active.
   */
  keyAt(fqdn: string | null, code: string, ownerId: string | null = null): string | null {
    if (fqdn === null) return keyOfCode(null, code);
    const name = hostName(fqdn);
    const own = ownerId === null ? [] : this.registry.ofOwner(ownerId);
    const domain = own.find((each) => each.fqdn === name) ?? this.registry.find(name);
    if (domain === undefined) return null;
    return own.includes(domain) || domain.status === 'active' ? keyOfCode(domain.id, code) : null;
  }

  /** The reverse of `labelOf`. */
  keyOfLabel(label: string, ownerId: string | null): string | null {
    const slash = label.indexOf('/');
    if (slash === -1) return keyOfCode(null, label);
    return this.keyAt(label.slice(0, slash), label.slice(slash + 1), ownerId);
  }

  /** Where links of an account can lie. */
  placesOf(ownerId: string): { baseUrl: string; domains: readonly KnownDomain[] } {
    return { baseUrl: this.http.baseUrl, domains: this.registry.ofOwner(ownerId) };
  }

  /** An id where another machine has made the domain in this very moment. */
  private findDomainName(domainId: string): string {
    return this.registry.findById(domainId)?.fqdn ?? domainId;
  }
}
