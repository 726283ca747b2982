import { Injectable } from '@nestjs/common';
import { HttpOptions } from '../config/options';
import { isHeld } from '../stores/domains/domain';
import { DomainRegistry } from '../stores/domains/domain-registry';
import { LinksService } from '../links/links.service';
import { OwnDomainTargetError } from './domains.errors';

/** Where a domain may lead by its settings: where links may, and to no domain that is served here. */
@Injectable()
export class RedirectTargets {
  constructor(
    private readonly registry: DomainRegistry,
    private readonly links: LinksService,
    private readonly http: HttpOptions,
  ) {}

  /** Throws for an address that this field may not have. */
  async refuseBad(field: string, url: string | null | undefined): Promise<void> {
    if (url === undefined || url === null) return;
    await this.links.checkDestination(url, field);
    if (this.isOwnDomain(new URL(url))) throw new OwnDomainTargetError(field);
  }

  private isOwnDomain({ hostname, port }: URL): boolean {
    const domain = this.registry.find(hostname.replace(/\.$/, ''));
    if (domain === undefined || !isHeld(domain)) return false;
    return port === '' || port === new URL(this.http.baseUrl).port;
  }
}
