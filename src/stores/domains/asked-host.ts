import { Injectable } from '@nestjs/common';
import { hostName } from '../../common/host';
import { HttpOptions } from '../../config/options';
import type { KnownDomain } from './domain';
import { DomainRegistry } from './domain-registry';

/** An active domain; null = BASE_URL's host; one of ours that is not active; any other with STRICT_HOSTS, or before the domains are loaded. */
type AskedHost = KnownDomain | 'closed' | 'unknown' | 'loading' | null;

/** Finds out whose host a request asks (docs/contract.md#25.4). */
@Injectable()
export class AskedHosts {
  /** BASE_URL's host in the form that browsers send. */
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

  /** @param host a valid Host, or none; all but BASE_URL's own pay for more than one comparison */
  find(host: string | undefined): AskedHost {
    if (host === this.own || host === undefined || host === '') return null;
    const name = hostName(host);
    if (name === this.ownName) return null;
    const domain = this.registry.find(name);
    if (!this.registry.isLoaded) return 'loading';
    if (domain === undefined) return this.isStrict ? 'unknown' : null;
    return domain.status === 'active' ? domain : 'closed';
  }
}
