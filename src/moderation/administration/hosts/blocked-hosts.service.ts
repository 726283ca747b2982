import { Injectable } from '@nestjs/common';
import { AccountsRepository } from '../../../accounts/account/accounts.repository';
import type { AuditActor } from '../../../audit-trail/audit-entry';
import { AuditTrailService } from '../../../audit-trail/audit-trail.service';
import { BlockedDestinations } from '../../../blocklists/blocked-destinations';
import { hostToBlock } from '../../../blocklists/hosts/hosts-file';
import { StoredHosts } from '../../../blocklists/hosts/stored-hosts';
import { toPage } from '../../../common/openapi/properties';
import { HttpOptions } from '../../../config/options';
import {
  type BlockedHost,
  BlockedHostsRepository,
} from '../../../stores/blocked-hosts/blocked-hosts.repository';
import { DomainRegistry } from '../../../stores/domains/domain-registry';
import { LinkWalk } from '../../../stores/links/link-walk.repository';
import { LIST_REASONS } from '../../list-walk/list-reasons';
import { RefusedHostError, UnknownBlockedHostError } from '../action/administration.errors';
import type { BlockHostDto, ListBlockedHostsDto } from './blocked-hosts.dto';
import {
  type BlockedHostPageResponse,
  type BlockedHostResponse,
  type HostResponse,
  toBlockedHostResponse,
  type UnblockedHostResponse,
} from './blocked-hosts.response';

const MAX_BLOCKED_HOSTS = 10_000;

@Injectable()
export class BlockedHostsService {
  constructor(
    private readonly repository: BlockedHostsRepository,
    private readonly stored: StoredHosts,
    private readonly lists: BlockedDestinations,
    private readonly links: LinkWalk,
    private readonly domains: DomainRegistry,
    private readonly accounts: AccountsRepository,
    private readonly trail: AuditTrailService,
    private readonly http: HttpOptions,
  ) {}

  async list(query: ListBlockedHostsDto): Promise<BlockedHostPageResponse> {
    const { hosts, total } = await this.repository.page((query.search ?? '').toLowerCase(), query);
    return toPage(await this.toResponses(hosts), query, total);
  }

  async show(text: string): Promise<HostResponse> {
    const host = parseHost(text);
    const counts = await this.links.countLeadingTo(host);
    const isStored = this.stored.covers(host);
    const blocker = this.lists.coversHost(host) ? 'file' : null;
    return { host, ...counts, blocked_by: isStored ? 'administrator' : blocker };
  }

  /** @throws RefusedHostError */
  async block(
    { host: text, reason: given }: BlockHostDto,
    actor: AuditActor,
  ): Promise<{ readonly isNew: boolean; readonly entry: BlockedHostResponse }> {
    const host = parseHost(text);
    if (host === new URL(this.http.baseUrl).hostname || this.isActiveDomain(host))
      throw new RefusedHostError('The host belongs to this service');
    const before = await this.repository.find(host);
    if (before === null) await this.demandRoom(MAX_BLOCKED_HOSTS - 1);
    const reason = given === undefined ? (before?.reason ?? null) : given;
    const saved = {
      host,
      reason,
      createdAt: new Date(),
      by: actor.id,
      ...(before && { ...before, reason }),
    };
    await this.repository.save(saved);
    if (before === null) await this.demandRoom(MAX_BLOCKED_HOSTS, host);
    await this.stored.announceChange();
    await this.record('host.block', actor, reason, before, saved);
    const [entry] = await this.toResponses([saved]);
    if (entry === undefined) throw new UnknownBlockedHostError();
    return { isNew: before === null, entry };
  }

  /** @throws UnknownBlockedHostError */
  async unblock(text: string, actor: AuditActor): Promise<UnblockedHostResponse> {
    const host = hostToBlock(text);
    const before = host === null ? null : await this.repository.find(host);
    if (before === null) throw new UnknownBlockedHostError();
    await this.repository.remove(before.host);
    await this.stored.announceChange();
    await this.record('host.unblock', actor, null, before, null);
    return { message: 'The host is no longer blocked', host: before.host };
  }

  /** Also checked after the write, because of concurrent requests. @throws RefusedHostError */
  private async demandRoom(most: number, added?: string): Promise<void> {
    if ((await this.repository.count()) <= most) return;
    if (added !== undefined) await this.repository.remove(added);
    throw new RefusedHostError(`At most ${MAX_BLOCKED_HOSTS} hosts can be blocked`);
  }

  private isActiveDomain(host: string): boolean {
    return this.domains.find(host)?.status === 'active';
  }

  private async record(
    act: 'host.block' | 'host.unblock',
    actor: AuditActor,
    reason: string | null,
    before: BlockedHost | null,
    after: BlockedHost | null,
  ): Promise<void> {
    const id = (after ?? before)?.host ?? '';
    const part = (entry: BlockedHost | null) => entry && { reason: entry.reason };
    const subject = { kind: 'host', id } as const;
    await this.trail.add({ actor, act, subject, reason, before: part(before), after: part(after) });
  }

  private async toResponses(hosts: readonly BlockedHost[]): Promise<BlockedHostResponse[]> {
    const admins = new Set(hosts.flatMap(({ by }) => (by === null ? [] : [by])));
    const emails = await this.accounts.findEmails([...admins]);
    const responses: BlockedHostResponse[] = [];
    for (const host of hosts) {
      const count = await this.links.countClosedTo(host.host, LIST_REASONS.hosts);
      responses.push(toBlockedHostResponse(host, emails, count));
    }
    return responses;
  }
}

/** @throws RefusedHostError */
function parseHost(text: string): string {
  const host = hostToBlock(text);
  if (host === null) throw new RefusedHostError('host must be a host with a dot, or a URL');
  return host;
}
