import { Injectable } from '@nestjs/common';
import type { Principal } from '../auth/access';
import { UnprocessableError } from '../common/errors';
import { hostName } from '../common/host';
import { RequestValidationPipe } from '../common/http/validation.pipe';
import { HttpOptions } from '../config/options';
import { LinkIndex } from '../links/link-index/link-index';
import type { PageRequest } from '../links/link-index/link-list';
import { readFilter } from '../links/listing/list-filter';
import { cutHint } from '../links/making/alias';
import { CreateLinkDto, toCreateLink, toLinkUpdate, UpdateLinkDto } from '../links/making/link.dto';
import { LinkItemsService } from '../links/making/link-items.service';
import type { LinkItemResponse } from '../links/making/link.response';
import { LinksService } from '../links/making/links.service';
import { RemovalService } from '../links/removal/removal.service';
import { DomainRegistry } from '../stores/domains/domain-registry';
import { LinkAddresses } from '../stores/domains/link-addresses';
import { keyOfCode, placeOfKey } from '../stores/links/alias-form';
import type { Link } from '../stores/links/link';
import { UnknownLinkError } from '../stores/links/link.errors';
import { LinkReads } from '../stores/links/link-reads.repository';
import type { Call, LinkFields } from './compatible-request';

export interface ShownLink extends LinkItemResponse {
  readonly updated_at: string;
}

interface RequestedLinks extends Partial<Pick<PageRequest, 'sortBy' | 'descending'>> {
  readonly filter?: object;
  readonly skip?: number;
  readonly limit?: number;
}

interface FoundLinks {
  readonly links: ShownLink[];
  readonly total: number;
  /** Including imported counts. */
  readonly totalClicks: number;
  readonly importedClicks: number;
}

type Requester = Pick<Call, 'caller' | 'client'>;

/** An account's links for the APIs of other shorteners (docs/contract.md#35.1). */
@Injectable()
export class CompatibleLinksService {
  private readonly shapes = new RequestValidationPipe();

  constructor(
    private readonly links: LinksService,
    private readonly items: LinkItemsService,
    private readonly index: LinkIndex,
    private readonly reads: LinkReads,
    private readonly removal: RemovalService,
    private readonly addresses: LinkAddresses,
    private readonly domains: DomainRegistry,
    private readonly http: HttpOptions,
  ) {}

  async create(
    { domain, ...fields }: LinkFields,
    { caller: { ownerId }, client }: Requester,
  ): Promise<{ link: ShownLink; isReused: boolean }> {
    const requested = { ...fields, domain: this.toRequestedDomain(domain) };
    const body = await this.validated(requested, CreateLinkDto);
    refuseLongAlias(body.alias);
    const input = toCreateLink(body, ownerId);
    const namesake = input.reuse && input.alias !== null ? this.links.place(input).alias : null;
    const own = namesake === null ? null : await this.reads.findOwn([namesake], ownerId);
    if (own?.longUrl === input.longUrl) return { link: await this.toShown(own), isReused: true };
    const { link, isReused } = await this.links.createOrReuse(input, client);
    return { link: await this.toShown(link), isReused };
  }

  async update(link: Link, fields: LinkFields, { caller, client }: Requester): Promise<ShownLink> {
    const body = await this.validated(fields, UpdateLinkDto);
    if (body.alias !== placeOfKey(link.alias).alias) refuseLongAlias(body.alias);
    return this.toShown(await this.links.update(link.id, toLinkUpdate(body), caller, client));
  }

  async remove({ id }: Link, caller: Principal): Promise<void> {
    await this.removal.remove(id, caller);
  }

  /** Other accounts' links are unknown. @throws UnknownLinkError */
  async findById(id: string, { ownerId }: Principal): Promise<Link> {
    const link = await this.reads.findById(id);
    if (link?.ownerId !== ownerId) throw new UnknownLinkError('id');
    return link;
  }

  /** @throws UnknownLinkError */
  async findByAlias(alias: string, { ownerId }: Principal, host?: string): Promise<Link> {
    const keys = this.domainIds(ownerId, host).flatMap((id) => keyOfCode(id, alias) ?? []);
    const link = await this.reads.findOwn(keys, ownerId);
    if (link === null) throw new UnknownLinkError('address');
    return link;
  }

  /** Lists the newest links first, unless another order is requested. */
  async list(
    { ownerId }: Principal,
    { filter = {}, skip = 0, limit = 0, sortBy = 'created_at', descending = true }: RequestedLinks,
  ): Promise<FoundLinks> {
    const size = Math.max(limit, 1);
    const shown = readFilter(JSON.stringify(filter), this.addresses.placesOf(ownerId));
    const order = { pageSize: size, sortBy, descending };
    const read = (page: number) =>
      this.index.page(ownerId, { ...order, page, filter: shown, sums: true });
    const [page, offset] = [Math.floor(skip / size) + 1, skip % size];
    const { ids, total, totalClicks = 0, importedClicks = 0 } = await read(page);
    if (offset > 0) ids.push(...(await read(page + 1)).ids);
    const links = await this.reads.findInOrder(ids.slice(offset, offset + limit));
    return {
      links: await this.toShownLinks(links),
      total,
      importedClicks,
      totalClicks: totalClicks + importedClicks,
    };
  }

  async toShown(link: Link): Promise<ShownLink> {
    const [shown] = await this.toShownLinks([link]);
    if (shown === undefined) throw new UnknownLinkError('id');
    return shown;
  }

  isOwnHost(host: string): boolean {
    return hostName(host) === new URL(this.http.baseUrl).hostname;
  }

  private async toShownLinks(links: readonly Link[]): Promise<ShownLink[]> {
    const items = await this.items.toItems(links);
    return items.map((item, at) => {
      const updated = links[at]?.updatedAt?.toISOString();
      return Object.assign(item, { updated_at: updated ?? item.created_at });
    });
  }

  private validated<T extends object>(fields: LinkFields, metatype: new () => T): Promise<T> {
    return this.shapes.transform(fields, { type: 'body', metatype }) as Promise<T>;
  }

  private toRequestedDomain(domain: unknown): unknown {
    if (domain === null || domain === '') return undefined;
    return typeof domain === 'string' && this.isOwnHost(domain) ? null : domain;
  }

  /** Without a host, BASE_URL's host is searched first, then the default domain. */
  private domainIds(ownerId: string, host: string | undefined): (string | null)[] {
    if (host === undefined) return [null, this.domains.findDefault(ownerId)?.id ?? null];
    if (this.isOwnHost(host)) return [null];
    const named = this.domains.usedBy(ownerId).filter(({ fqdn }) => fqdn === hostName(host));
    return named.map(({ id }) => id);
  }
}

/** In /api/v1, a long alias is truncated, which these APIs' clients would not notice. */
function refuseLongAlias(alias: string | null | undefined): void {
  if (cutHint(alias) === undefined) return;
  throw UnprocessableError.forField('alias', 'must have at most 16 characters');
}
