import { Injectable } from '@nestjs/common';
import { HttpOptions } from '../config/options';
import { isHeld } from '../stores/domains/domain';
import { DomainRegistry } from '../stores/domains/domain-registry';
import { LinksService } from '../links/making/links.service';
import { OwnDomainTargetError } from './domains.errors';

/** Redirect URLs of domains follow the rules for links and must not be served here. */
@Injectable()
export class RedirectTargets {
  constructor(
    private readonly registry: DomainRegistry,
    private readonly links: LinksService,
    private readonly http: HttpOptions,
  ) {}

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
