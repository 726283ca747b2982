import { Injectable } from '@nestjs/common';
import { hostName } from '../../common/host';
import { HttpOptions } from '../../config/options';
import type { KnownDomain } from './domain';
import { DomainRegistry } from './domain-registry';

/** Null: BASE_URL's host or, without STRICT_HOSTS, any host. `closed`: an inactive domain. */
type RequestedHost = KnownDomain | 'closed' | 'unknown' | 'loading' | null;

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
