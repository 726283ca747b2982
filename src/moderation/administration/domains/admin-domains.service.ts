import { Injectable } from '@nestjs/common';
import { AccountsRepository } from '../../../accounts/account/accounts.repository';
import type { AuditActor } from '../../../audit-trail/audit-entry';
import { isId } from '../../../common/http/parse-id.pipe';
import { toPage } from '../../../common/openapi/properties';
import { readDomainName } from '../../../domains/domain-name';
import { domainLinkCounts } from '../../../domains/domain.response';
import { DomainSharingService } from '../../../domains/domain-mails.service';
import { UnknownDomainError } from '../../../domains/domains.errors';
import { type Domain, hasOwner } from '../../../stores/domains/domain';
import { DomainsRepository } from '../../../stores/domains/domains.repository';
import { LinkReads } from '../../../stores/links/link-reads.repository';
import {
  type AdminDomainPageResponse,
  type AdminDomainResponse,
  toAdminDomain,
} from './admin-domain.response';
import type { ListAllDomainsDto } from './admin-domains.dto';

@Injectable()
export class AdminDomainsService {
  constructor(
    private readonly domains: DomainsRepository,
    private readonly sharing: DomainSharingService,
    private readonly links: LinkReads,
    private readonly accounts: AccountsRepository,
  ) {}

  async list(query: ListAllDomainsDto): Promise<AdminDomainPageResponse> {
    const { search = '', status, shared, page, pageSize } = query;
    const wanted = { text: search.toLowerCase(), status, isShared: shared };
    const { domains, total } = await this.domains.page(wanted, page, pageSize);
    return toPage(await this.toResponses(domains), query, total);
  }

  /** @throws UnknownDomainError, SharingRefusedError */
  async share(
    id: string,
    isShared: boolean,
    reason: string | null,
    actor: AuditActor,
  ): Promise<AdminDomainResponse> {
    const domain = await this.domains.findById(id);
    if (domain === null) throw new UnknownDomainError();
    const [response] = await this.toResponses([
      await this.sharing.set(domain, isShared, reason, actor),
    ]);
    if (response === undefined) throw new UnknownDomainError();
    return response;
  }

  /** Finds a domain by id or name. @throws UnknownDomainError */
  async findId(text: string): Promise<string> {
    if (isId(text)) return text.toLowerCase();
    const name = readDomainName(text);
    const domain = name === null ? null : await this.domains.findByName(name);
    if (domain === null) throw new UnknownDomainError();
    return domain.id;
  }

  private async toResponses(domains: readonly Domain[]): Promise<AdminDomainResponse[]> {
    const owners = new Set(domains.filter(hasOwner).map(({ ownerId }) => ownerId));
    const emails = await this.accounts.findEmails([...owners]);
    const toResponse = async (domain: Domain) =>
      toAdminDomain(domain, await domainLinkCounts(domain, this.links), emails);
    return Promise.all(domains.map(toResponse));
  }
}
