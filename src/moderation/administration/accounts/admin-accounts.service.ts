import { Injectable } from '@nestjs/common';
import { type Account, isGoing, type Role } from '../../../accounts/account/account';
import {
  DeletionBegunError,
  MailNotSentError,
  UnknownAccountError,
} from '../../../accounts/account/accounts.errors';
import { AccountsRepository } from '../../../accounts/account/accounts.repository';
import { OneTimeCodesService } from '../../../accounts/codes/one-time-codes.service';
import { AdminsService } from '../../../accounts/admin-role/admins.service';
import { AccountMailsService } from '../../../accounts/mails/account-mails.service';
import { AccountDeletionService } from '../../../accounts/deletion/account-deletion.service';
import { SessionsRepository } from '../../../accounts/sessions/sessions.repository';
import { SuspensionService } from '../../../accounts/suspension/suspension.service';
import type { AuditAct, AuditActor } from '../../../audit-trail/audit-entry';
import { SiteOptions } from '../../../config/options';
import { AuditTrailService } from '../../../audit-trail/audit-trail.service';
import { unixSeconds } from '../../../common/time';
import { toJobResponse } from '../../../jobs/job.response';
import { ApiKeysRepository } from '../../../api-keys/api-keys.repository';
import { isOverTime } from '../../../common/database-fault';
import { toPage } from '../../../common/openapi/properties';
import { ImportedCountsRepository } from '../../../stores/imported-counts/imported-counts.repository';
import { LinkTotalReads } from '../../../stores/links/link-total-reads.repository';
import { isDescending } from '../../../links/listing/list-links.dto';
import { NoResetError, SearchTooLongError } from '../action/administration.errors';
import {
  type AccountDeletionResponse,
  type AdminAccountPageResponse,
  type AdminAccountResponse,
  toAdminAccount,
} from './admin-account.response';
import type { DeleteAccountDto, SearchAccountsDto } from './admin-accounts.dto';

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

@Injectable()
export class AdminAccountsService {
  constructor(
    private readonly accounts: AccountsRepository,
    private readonly shown: AccountSearchService,
    private readonly suspension: SuspensionService,
    private readonly deletion: AccountDeletionService,
    private readonly admins: AdminsService,
    private readonly sessions: SessionsRepository,
    private readonly codes: OneTimeCodesService,
    private readonly mails: AccountMailsService,
    private readonly trail: AuditTrailService,
    private readonly site: SiteOptions,
  ) {}

  async suspend(id: string, reason: string, actor: AuditActor): Promise<AdminAccountResponse> {
    await this.find(id);
    return this.shown.toResponse(await this.suspension.suspend(id, reason, actor));
  }

  async unsuspend(
    id: string,
    reason: string | null,
    actor: AuditActor,
  ): Promise<AdminAccountResponse> {
    await this.find(id);
    return this.shown.toResponse(await this.suspension.unsuspend(id, reason, actor));
  }

  async setRole(id: string, role: Role, actor: AuditActor): Promise<AdminAccountResponse> {
    await this.find(id);
    return this.shown.toResponse(await this.admins.setRole(id, role, actor));
  }

  async endSessions(id: string, actor: AuditActor): Promise<AdminAccountResponse> {
    const account = await this.find(id);
    const ended = await this.sessions.removeByAccount(id);
    if (ended > 0) await this.note('account.end_sessions', id, ended, actor);
    return this.shown.toResponse(account);
  }

  /** Ends all sessions and emails the owner a reset code. */
  async resetPassword(id: string, actor: AuditActor): Promise<AdminAccountResponse> {
    const account = await this.findResettable(id);
    await this.endForReset(id, actor);
    if (!(await this.mails.sendReset(account))) throw new MailNotSentError();
    return this.shown.toResponse(account);
  }

  /** Ends all sessions and returns a reset code that an admin can pass on. */
  async issueReset(
    id: string,
    actor: AuditActor,
  ): Promise<{ account: AdminAccountResponse; code: string }> {
    const account = await this.findResettable(id);
    const code = await this.codes.issue(id, 'reset');
    await this.endForReset(id, actor);
    return { account: await this.shown.toResponse(account), code };
  }

  private async findResettable(id: string): Promise<Account> {
    const account = await this.find(id);
    if (!this.site.passwordSignIn) {
      throw new NoResetError('PASSWORD_SIGN_IN is false: use `curtail admin sign-in-link`');
    }
    if (account.suspended !== null) throw new NoResetError('The account is suspended');
    if (account.passwordHash === null) throw new NoResetError('The account has no password');
    return account;
  }

  private async endForReset(id: string, actor: AuditActor): Promise<void> {
    const ended = await this.sessions.removeByAccount(id);
    await this.note('account.password_reset', id, ended, actor);
  }

  async remove(
    id: string,
    body: DeleteAccountDto,
    actor: AuditActor,
  ): Promise<AccountDeletionResponse> {
    const { deletesAt, job } = await this.deletion.begin(id, body, actor);
    return { deletes_at: unixSeconds(deletesAt), job: toJobResponse(job) };
  }

  private async find(id: string): Promise<Account> {
    const account = await this.accounts.findById(id);
    if (account === null) throw new UnknownAccountError();
    if (isGoing(account)) throw new DeletionBegunError();
    return account;
  }

  private async note(act: AuditAct, id: string, ended: number, actor: AuditActor): Promise<void> {
    await this.trail.add({
      actor,
      act,
      subject: { kind: 'account', id },
      before: { sessions: ended },
      after: { sessions: 0 },
    });
  }
}

/** Timeout for each database statement (docs/contract.md#24.2). */
const ACCOUNT_SEARCH_MS = 10_000;
const NO_LINKS = { links: 0, clicks: 0 };
