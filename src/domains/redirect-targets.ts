import { Injectable } from '@nestjs/common';
import { HttpOptions } from '../config/options';
import { isHeld } from '../domain-store/domain';
import { DomainRegistry } from '../domain-store/domain-registry';
import { BlockedDestinations } from '../links/blocked-destinations';
import { refuseDestination } from '../links/destination';
import { DestinationError } from '../links/links.errors';
import { RedirectTargetError } from './domains.errors';

/** Where a domain may lead by its settings: where links may, and to no domain that is served here. */
@Injectable()
export class RedirectTargets {
  constructor(
    private readonly registry: DomainRegistry,
    private readonly blocked: BlockedDestinations,
    private readonly http: HttpOptions,
  ) {}

  /** @throws RedirectTargetError with this field */
  async refuseBad(field: string, url: string | null | undefined): Promise<void> {
    if (url === undefined || url === null) return;
    try {
      refuseDestination(url, this.http);
    } catch (error) {
      if (!(error instanceof DestinationError)) throw error;
      throw new RedirectTargetError(field, error.message.replace(/^long_url /, ''));
    }
    if (this.isOwnDomain(new URL(url))) {
      throw new RedirectTargetError(field, 'leads to a domain of this service itself');
    }
    const verdict = await this.blocked.judge(url);
    if (verdict === 'blocked') throw new RedirectTargetError(field, 'is not allowed here');
    if (verdict === 'unfinished') {
      throw new RedirectTargetError(field, 'could not be checked in time');
    }
  }

  private isOwnDomain({ hostname, port }: URL): boolean {
    const domain = this.registry.find(hostname.replace(/\.$/, ''));
    if (domain === undefined || !isHeld(domain)) return false;
    return port === '' || port === new URL(this.http.baseUrl).port;
  }
}
