import { Injectable } from '@nestjs/common';
import { toUserResponse } from '../../accounts/account/account.response';
import { SessionsService } from '../../accounts/sessions/sessions.service';
import { AccountsService } from '../../accounts/sign-in/accounts.service';
import { toApiKeyResponse } from '../../api-keys/api-key.response';
import { ApiKeysRepository } from '../../api-keys/api-keys.repository';
import type { Principal } from '../../auth/access';
import { DomainsService } from '../../domains/domains.service';
import { ImportsService } from '../../imports/imports.service';
import { TagsService } from '../../links/tags/tags.service';
import { toUtmTemplateResponse } from '../../links/utm/utm-template.response';
import { UtmTemplatesService } from '../../links/utm/utm-templates.service';
import { ReportsRepository } from '../../moderation/reports/reports.repository';
import { toLinkedProvider } from '../../oauth/oauth.response';
import { AccountFilesRepository } from '../../qr/logo/account-files.repository';
import { LinkAddresses } from '../../stores/domains/link-addresses';
import { LinkReads } from '../../stores/links/link-reads.repository';

const ITEMS_A_PAGE = 100;

/** Reads everything that an account export contains besides links and clicks. */
@Injectable()
export class AccountDataService {
  constructor(
    private readonly accounts: AccountsService,
    private readonly sessions: SessionsService,
    private readonly keys: ApiKeysRepository,
    private readonly tags: TagsService,
    private readonly templates: UtmTemplatesService,
    private readonly domains: DomainsService,
    private readonly imports: ImportsService,
    private readonly reports: ReportsRepository,
    private readonly links: LinkReads,
    private readonly addresses: LinkAddresses,
    private readonly files: AccountFilesRepository,
  ) {}

  /** Returns the content of `account.json` (docs/contract.md#23.2). */
  async read(principal: Principal): Promise<string> {
    const { ownerId } = principal;
    const account = await this.accounts.demand(principal);
    const { sessions } = await this.sessions.list(principal);
    const logo = await this.files.find(ownerId, 'qr-logo');
    const data = {
      user: toUserResponse(account),
      providers: account.identities.map(toLinkedProvider),
      sessions,
      keys: (await this.keys.findByOwner(ownerId)).map(toApiKeyResponse),
      tags: (await this.tags.list({ sortBy: 'name' }, principal)).tags,
      utm_templates: (await this.templates.list(principal)).map(toUtmTemplateResponse),
      domains: await allItems((page) =>
        this.domains.list({ page, pageSize: ITEMS_A_PAGE }, principal),
      ),
      imports: await allItems((page) => this.imports.list(page, ITEMS_A_PAGE, principal)),
      reports: await this.ownReports(ownerId),
      webhooks: [],
      qr_logo: logo?.data.toString('base64') ?? null,
    };
    return `${JSON.stringify(data, null, 2)}\n`;
  }

  private async ownReports(ownerId: string): Promise<object[]> {
    const found = await this.reports.entriesOf(ownerId, new Date());
    const links = await this.links.findInOrder([...new Set(found.map(({ linkId }) => linkId))]);
    const urls = new Map(links.map(({ id, alias }) => [id, this.addresses.find(alias).shortUrl]));
    return found.map(({ linkId, entry: { at, reason, details, vector } }) => ({
      at: at.toISOString(),
      url: urls.get(linkId) ?? null,
      reason,
      details,
      vector,
    }));
  }
}

async function allItems<T>(
  read: (page: number) => Promise<{ readonly items: readonly T[] }>,
): Promise<T[]> {
  const all: T[] = [];
  for (let page = 1; ; page++) {
    const { items } = await read(page);
    all.push(...items);
    if (items.length < ITEMS_A_PAGE) return all;
  }
}
