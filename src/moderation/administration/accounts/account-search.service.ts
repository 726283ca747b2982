import { Injectable } from '@nestjs/common';
import type { Account } from '../../../accounts/account/account';
import { AccountsRepository } from '../../../accounts/account/accounts.repository';
import { UnknownAccountError } from '../../../accounts/account/accounts.errors';
import { SessionsRepository } from '../../../accounts/sessions/sessions.repository';
import { ApiKeysRepository } from '../../../api-keys/api-keys.repository';
import { isOverTime } from '../../../common/database-fault';
import { toPage } from '../../../common/openapi/item-page';
import { ImportedCountsRepository } from '../../../stores/imported-counts/imported-counts.repository';
import { LinkTotalReads } from '../../../stores/links/link-total-reads.repository';
import { isDescending } from '../../../links/listing/list-links.dto';
import { SearchTooLongError } from '../action/administration.errors';
import {
  type AdminAccountPageResponse,
  type AdminAccountResponse,
  toAdminAccount,
} from './admin-account.response';
import type { SearchAccountsDto } from './admin-accounts.dto';

/** Timeout for each database statement (docs/contract.md#24.2). */
const ACCOUNT_SEARCH_MS = 10_000;
const NO_LINKS = { links: 0, clicks: 0 };

@Injectable()
export class AccountSearchService {
  constructor(
    private readonly accounts: AccountsRepository,
    private readonly links: LinkTotalReads,
    private readonly imported: ImportedCountsRepository,
    private readonly keys: ApiKeysRepository,
    private readonly sessions: SessionsRepository,
  ) {}

  async search(query: SearchAccountsDto): Promise<AdminAccountPageResponse> {
    try {
      const { accounts, total } = await this.find(query);
      return toPage(await this.toResponses(accounts), query, total);
    } catch (error) {
      throw isOverTime(error) ? new SearchTooLongError() : error;
    }
  }

  async show(id: string): Promise<AdminAccountResponse> {
    const account = await this.accounts.findById(id);
    if (account === null) throw new UnknownAccountError();
    return this.toResponse(account);
  }

  async toResponse(account: Account): Promise<AdminAccountResponse> {
    const [response] = await this.toResponses([account]);
    if (response === undefined) throw new UnknownAccountError();
    return response;
  }

  private async find(query: SearchAccountsDto): Promise<{ accounts: Account[]; total: number }> {
    const { search, status, role, sortBy, sortOrder, page, pageSize } = query;
    const criteria = { text: search || undefined, standing: status, role };
    const descending = isDescending(sortOrder);
    if (sortBy === 'created_at' || sortBy === 'last_sign_in_at') {
      const part = { page, pageSize, by: sortBy, descending };
      return this.accounts.search(criteria, part, ACCOUNT_SEARCH_MS);
    }
    // Accounts store no link counts, so this counts all links and sorts the ids here.
    const [ids, counts, imported] = await Promise.all([
      this.accounts.searchIds(criteria, ACCOUNT_SEARCH_MS),
      this.links.countsOfOwners('all', ACCOUNT_SEARCH_MS),
      sortBy === 'clicks'
        ? this.imported.sumByOwner('all', ACCOUNT_SEARCH_MS)
        : new Map<string, number>(),
    ]);
    const rows = ids.map((id) => {
      return { id, count: (counts.get(id) ?? NO_LINKS)[sortBy] + (imported.get(id) ?? 0) };
    });
    const sign = descending ? -1 : 1;
    rows.sort((a, b) => sign * (a.count - b.count || (a.id < b.id ? -1 : 1)));
    const shown = rows.slice((page - 1) * pageSize, page * pageSize).map(({ id }) => id);
    return { accounts: await this.accounts.findInOrder(shown), total: ids.length };
  }

  private async toResponses(accounts: readonly Account[]): Promise<AdminAccountResponse[]> {
    const ids = accounts.map(({ id }) => id);
    const [links, imported, keys, sessions] = await Promise.all([
      this.links.countsOfOwners(ids, ACCOUNT_SEARCH_MS),
      this.imported.sumByOwner(ids, ACCOUNT_SEARCH_MS),
      this.keys.countByOwner(ids),
      this.sessions.countByUser(ids, new Date()),
    ]);
    return accounts.map((account) =>
      toAdminAccount(account, {
        ...(links.get(account.id) ?? NO_LINKS),
        imported_clicks: imported.get(account.id) ?? 0,
        keys: keys.get(account.id) ?? 0,
        sessions: sessions.get(account.id) ?? 0,
      }),
    );
  }
}
