import { Injectable } from '@nestjs/common';
import { AccountsRepository } from '../../../accounts/account/accounts.repository';
import type { AuditAct, AuditActor, AuditSubject } from '../../../audit-trail/audit-entry';
import { AuditTrailService } from '../../../audit-trail/audit-trail.service';
import { isOverTime } from '../../../common/database-fault';
import { hostName } from '../../../common/host';
import { toPage } from '../../../common/openapi/properties';
import { hostOfStored, toStoredHosts } from '../../../stores/links/destination-hosts';
import { placeOfKey } from '../../../stores/links/alias-form';
import { type Link, reportedStatus } from '../../../stores/links/link';
import { UnknownLinkError } from '../../../stores/links/link.errors';
import { LinkReads } from '../../../stores/links/link-reads.repository';
import { LinkSearch } from '../../../stores/links/link-search.repository';
import {
  LinkBlockingService,
  type LinkTransition,
} from '../../../links/blocking/link-blocking.service';
import { LinkItemsService } from '../../../links/making/link-items.service';
import { LinkRemover } from '../../../links/removal/link-remover';
import type { RemovedLinkResponse } from '../../../links/removal/removed-links.response';
import { parseId } from '../../../common/http/parse-id.pipe';
import {
  bulkAnswer,
  type BulkAnswer,
  DONE,
  isUnreachable,
  type LinkRow,
  type RowOutcome,
  toVerdict,
} from '../../../links/bulk/bulk.response';
import { ReportsRepository } from '../../reports/reports.repository';
import { SearchTooLongError } from '../action/administration.errors';
import { ownerIdFor } from '../action/owner-filter';
import {
  type AdminLinkPageResponse,
  type AdminLinkResponse,
  toAdminLink,
} from './admin-link.response';
import type { SearchLinksDto } from './admin-links.dto';

const LINK_SEARCH_MS = 10_000;

@Injectable()
export class AdminLinksService {
  constructor(
    private readonly reads: LinkReads,
    private readonly links: LinkSearch,
    private readonly accounts: AccountsRepository,
    private readonly blocking: LinkBlockingService,
    private readonly remover: LinkRemover,
    private readonly items: LinkItemsService,
    private readonly trail: AuditTrailService,
    private readonly reports: ReportsRepository,
  ) {}

  async search(query: SearchLinksDto): Promise<AdminLinkPageResponse> {
    const { search, host, owner, status } = query;
    const ownerId = owner ? await ownerIdFor(owner, this.accounts) : undefined;
    if (ownerId === null) return toPage([], query, 0);
    const criteria = {
      text: search || undefined,
      host: host ? hostName(host) : undefined,
      ownerId,
      status,
    };
    const found = this.links.search(criteria, query, LINK_SEARCH_MS);
    const { links, total } = await found.catch((error: unknown) => {
      throw isOverTime(error) ? new SearchTooLongError() : error;
    });
    return toPage(await this.toResponses(links), query, total);
  }

  async show(id: string): Promise<AdminLinkResponse> {
    return this.toResponse(await this.find(id));
  }

  async showMany(ids: readonly string[]): Promise<Map<string, AdminLinkResponse>> {
    const items = await this.toResponses(await this.reads.findInOrder(ids));
    return new Map(items.map((item) => [item.id, item]));
  }

  async block(id: string, reason: string, actor: AuditActor): Promise<AdminLinkResponse> {
    const { before, link } = await this.blocking.block(id, { reason, by: 'admin' });
    const { blocked } = before;
    const isSame = blocked?.reason === reason && blocked.by === 'admin';
    if (!isSame) await this.note('url.block', { before, link }, reason, actor);
    return this.toResponse(link);
  }

  async unblock(id: string, reason: string | null, actor: AuditActor): Promise<AdminLinkResponse> {
    const { before, link } = await this.blocking.unblock(id);
    if (before.blocked !== null) await this.note('url.unblock', { before, link }, reason, actor);
    return this.toResponse(link);
  }

  async remove(id: string, reason: string | null, actor: AuditActor): Promise<RemovedLinkResponse> {
    const before = await this.find(id);
    const removed = new Map<string, string>();
    await this.remover.removeMany([before], before.ownerId, removed);
    if (removed.size === 0) throw new UnknownLinkError('id');
    await this.note('url.delete', { before, link: null }, reason, actor);
    return { message: 'URL deleted', id };
  }

  private async find(id: string): Promise<Link> {
    const link = await this.reads.findById(id);
    if (link === null) throw new UnknownLinkError('id');
    return link;
  }

  private async note(
    act: AuditAct,
    { before, link }: Pick<LinkTransition, 'before'> & { readonly link: Link | null },
    reason: string | null,
    actor: AuditActor,
  ): Promise<void> {
    const toStatus = (shown: Link) => ({ status: reportedStatus(shown, Date.now()) });
    await this.trail.add({
      actor,
      act,
      subject: toSubject(before),
      reason,
      before: toStatus(before),
      after: link && toStatus(link),
    });
  }

  private async toResponse(link: Link): Promise<AdminLinkResponse> {
    const [item] = await this.toResponses([link]);
    if (item === undefined) throw new UnknownLinkError('id');
    return item;
  }

  private async toResponses(links: readonly Link[]): Promise<AdminLinkResponse[]> {
    const owners = [...new Set(links.flatMap(({ ownerId }) => ownerId ?? []))];
    const [emails, reports, items] = await Promise.all([
      this.accounts.findEmails(owners),
      this.reports.openCounts(links.map(({ id }) => id)),
      this.items.toItems(links),
    ]);
    const shown = new Map(items.map((item) => [item.id, item]));
    return links.flatMap((link) => {
      const { id, ownerId } = link;
      const item = shown.get(id);
      if (item === undefined) return [];
      return toAdminLink(item, {
        owner: ownerId === null ? null : { id: ownerId, email: emails.get(ownerId) ?? null },
        destination_hosts: toStoredHosts(link).map(hostOfStored),
        open_reports: reports.get(id) ?? 0,
        list_exempt: link.isListExempt,
      });
    });
  }
}

function toSubject({ id, alias }: Link): AuditSubject {
  return { kind: 'url', id, alias: placeOfKey(alias).alias };
}

@Injectable()
export class BulkAdminLinksService {
  constructor(private readonly repository: LinkReads) {}

  /** Throws only if the database is down before any change. Otherwise, returns a row per link. */
  async run(
    requestedIds: readonly string[],
    act: (id: string) => Promise<unknown>,
  ): Promise<BulkAnswer<LinkRow>> {
    const ids = [...new Set(requestedIds.map((id, i) => parseId(id, `ids.${i}`)))];
    const links = await this.repository.findInOrder(ids);
    const aliases = new Map(links.map(({ id, alias }) => [id, placeOfKey(alias).alias]));
    const rows: LinkRow[] = [];
    let away: RowOutcome | null = null;
    for (const id of ids) {
      const alias = aliases.get(id) ?? null;
      let verdict: RowOutcome | null = away;
      try {
        if (verdict === null) await act(id);
      } catch (error) {
        verdict = toVerdict(error);
        if (isUnreachable(error)) away = verdict;
        if (away !== null && rows.length === 0) throw error;
      }
      rows.push({ id, alias, ...(verdict ?? DONE) });
    }
    return bulkAnswer(rows);
  }
}
