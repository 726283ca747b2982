import { Injectable } from '@nestjs/common';
import { maxLength } from 'class-validator';
import type { Principal } from '../../auth/access';
import { JournalCatchUp } from '../../clicks/journal/journal-catch-up';
import { AuthenticationError, UnprocessableError } from '../../common/errors';
import { AppLog } from '../../common/log';
import { hostName } from '../../common/host';
import { DomainRegistry } from '../../stores/domains/domain-registry';
import type { ChosenId } from '../../idempotency/attempt';
import type { Client } from '../../infrastructure/client-address/client-address';
import { aliasAfter, type AliasSource, V1_ALIASES, v1AliasObjection } from './alias';
import { MAX_URL_LENGTH } from './destination';
import type {
  CreateLink,
  Link,
  LinkChange,
  LinkStatus,
  LinkUpdate,
  NewLink,
  QrStyle,
} from '../../stores/links/link';
import { LinkCache } from '../cache/link-cache';
import { createLinks } from './link-creation';
import { withChange } from './link-rules';
import { LinkValidationService } from './link-validation.service';
import type { AliasAvailabilityResponse } from './link.response';
import { DomainUnusableError, LinkBlockedError, LinkNotYoursError } from './links.errors';
import { AliasTakenError, UnknownLinkError } from '../../stores/links/link.errors';
import { placeOfKey, toKey, withoutVariation } from '../../stores/links/alias-form';
import { AlikeLinks } from '../../stores/links/alike-links.repository';
import { AccountTags } from '../../stores/tags/account-tags';
import { LinkReads } from '../../stores/links/link-reads.repository';
import { LinksRepository } from '../../stores/links/links.repository';

export interface CreationOptions {
  readonly aliases?: AliasSource;
  readonly chosen?: ChosenId;
}

/** The alias is in the stored form. */
export type PlacedLink = CreateLink & { readonly domainId: string | null };

export interface CreatedLink {
  readonly link: Link;
  readonly isReused: boolean;
}

const NEEDS_ACCOUNT_FOR_DOMAIN = 'domain needs an account: sign in or use an API key';

/** Maximum number of retries after concurrent renames or destination changes. */
const CHANGES_BETWEEN = 20;

/** Creates and changes links for v1 and v0 (docs/contract.md#5, 6 and 7). */
@Injectable()
export class LinksService {
  constructor(
    private readonly repository: LinksRepository,
    private readonly reads: LinkReads,
    private readonly alike: AlikeLinks,
    private readonly cache: LinkCache,
    private readonly tags: AccountTags,
    private readonly validation: LinkValidationService,
    private readonly domains: DomainRegistry,
    private readonly catchUp: JournalCatchUp,
    private readonly log: AppLog,
  ) {}

  /** @param options.chosen id for the new link, which may already exist after a retry */
  async create(input: CreateLink, client: Client, options?: CreationOptions): Promise<Link> {
    return (await this.createOrReuse({ ...input, reuse: false }, client, options)).link;
  }

  /** Creates a link or, with `reuse`, returns an equal existing link in the account. */
  async createOrReuse(
    requested: CreateLink,
    client: Client,
    { aliases = V1_ALIASES, chosen }: CreationOptions = {},
  ): Promise<CreatedLink> {
    const before = chosen?.isRepeated === true ? await this.reads.findById(chosen.id) : null;
    if (before !== null) {
      await this.cache.invalidate(before.alias);
      return { link: before, isReused: false };
    }
    const now = new Date();
    const input = this.place(requested);
    const judged = await this.validation.judgeNew(input, now, client);
    const known = await this.findReusable(input, judged);
    if (known !== null) return { link: known, isReused: true };
    const tags = (await this.tagsFor(input, null)) ?? [];
    const link = { ...judged, tags, id: chosen?.id };
    const { alias, domainId } = input;
    const request = { link, alias, domainId, aliases };
    const [created] = (await createLinks(this.repository, [request], now)) as [Link | Error];
    if (created instanceof Error) throw created;
    await this.cache.invalidate(created.alias);
    return { link: created, isReused: false };
  }

  /** Returns the existing link for `reuse` (docs/contract.md#20.4); null if there is none. */
  async findReusable(
    { reuse = false, ownerId, alias, domainId }: PlacedLink,
    requested: Omit<NewLink, 'alias' | 'tags'>,
    except: readonly string[] = [],
  ): Promise<Link | null> {
    if (!reuse || ownerId === null || requested.passwordHash !== null) return null;
    return this.alike.findNewest(ownerId, requested, alias ?? { domainId }, except);
  }

  /** Finds the requested or default domain and the stored form of the alias. */
  place(input: CreateLink): PlacedLink {
    const { ownerId, domain, alias } = input;
    const domainId =
      domain === undefined
        ? ((ownerId === null ? undefined : this.domains.findDefault(ownerId))?.id ?? null)
        : this.findDomainId(domain, ownerId);
    return { ...input, domainId, alias: alias === null ? null : toKey(domainId, alias) };
  }

  /** Returns the id of an active domain of the account or shared with it; null for the host of BASE_URL. */
  findDomainId(domain: string | null, ownerId: string | null): string | null {
    if (domain === null) return null;
    if (ownerId === null)
      throw new AuthenticationError(NEEDS_ACCOUNT_FOR_DOMAIN, { field: 'domain' });
    const active = this.domains.findActive(ownerId, hostName(domain));
    if (active === undefined) throw new DomainUnusableError();
    return active.id;
  }

  async checkAlias(
    alias: string,
    domain: string | undefined,
    ownerId: string | null,
  ): Promise<AliasAvailabilityResponse> {
    const domainId = domain === undefined ? null : this.findDomainId(domain, ownerId);
    const objection = v1AliasObjection(alias, domainId);
    if (objection !== null) return { available: false, reason: objection };
    const key = toKey(domainId, withoutVariation(alias));
    const taken = (await this.reads.findHolders([key])).size > 0;
    return { available: !taken, reason: taken ? 'taken' : null };
  }

  /** Throws 404 for an unknown link, 403 for an anonymous link or another account's link (6.6). */
  async ownLink(urlId: string, caller: Principal): Promise<Link> {
    const link = await this.reads.findById(urlId);
    if (link === null) throw new UnknownLinkError('id');
    if (link.ownerId !== caller.ownerId) throw new LinkNotYoursError();
    return link;
  }

  /** Returns a link like `ownLink`. Also throws 403 while the link is blocked. */
  async changeableLink(urlId: string, caller: Principal): Promise<Link> {
    const link = await this.ownLink(urlId, caller);
    if (link.blocked !== null) throw new LinkBlockedError();
    return link;
  }

  /**
   * Returns the link as `update` would change its destinations, times and limit. Stores nothing.
   * @throws LinkBlockedError
   */
  async preview(link: Link, { status, ...changes }: LinkUpdate, client: Client): Promise<Link> {
    if (link.blocked !== null) throw new LinkBlockedError();
    const requested = { ...changes, longUrl: longUrlAfter(link, changes.longUrl) };
    const settings = await this.validation.judge(requested, link, new Date(), client);
    return withChange(link, { ...settings, status });
  }

  async update(
    urlId: string,
    { status, tagNames, domain, ...changes }: LinkUpdate,
    caller: Principal,
    client: Client,
  ): Promise<Link> {
    const link = await this.changeableLink(urlId, caller);
    const alias = this.keyAfter(link, domain, changes.alias);
    const requested = { ...changes, longUrl: longUrlAfter(link, changes.longUrl), alias };
    const tagged = await this.validation.withUtm(requested, link.longUrl, caller.ownerId);
    const settings = await this.validation.judge(tagged, link, new Date(), client);
    // Links without a claim (34.4) are not in the unique index of claims.
    if (this.reads.ignoresCase) await this.refuseTaken(alias, link);
    const tags = await this.tagsFor(
      { alias: requested.alias, tagNames, ownerId: caller.ownerId },
      link,
    );
    return this.change(link, { ...settings, tags, status }, caller, false);
  }

  /** Updates `updated_at` even if the status does not change (docs/contract.md#6.4). */
  async setStatus(urlId: string, status: LinkStatus, caller: Principal): Promise<Link> {
    return this.change(await this.changeableLink(urlId, caller), { status }, caller, true);
  }

  async setQrStyle(urlId: string, style: QrStyle | null, caller: Principal): Promise<Link> {
    const { id } = await this.ownLink(urlId, caller);
    const link = await this.repository.restyle(id, style);
    if (link === null) throw new UnknownLinkError('id');
    await this.cache.invalidate(link.alias);
    return link;
  }

  /** Returns the new stored alias; undefined if unchanged. */
  private keyAfter(
    link: Link,
    domain: string | null | undefined,
    alias: string | null | undefined,
  ): string | undefined {
    if (domain === undefined && alias == null) return undefined;
    const place = placeOfKey(link.alias);
    const present = place.domainId === null ? null : this.domains.findById(place.domainId)?.fqdn;
    const isNamed = typeof domain === 'string' && hostName(domain) === present;
    const stays = domain === undefined || (isNamed && !this.hasOther(link, present));
    const domainId = stays ? place.domainId : this.findDomainId(domain, link.ownerId);
    return toKey(domainId, alias == null ? place.alias : aliasAfter(alias, place.alias));
  }

  /** Whether the owner can use another domain with the name, which it took over (36.3). */
  private hasOther({ ownerId, alias }: Link, fqdn: string): boolean {
    const active = ownerId === null ? undefined : this.domains.findActive(ownerId, fqdn);
    return active !== undefined && active.id !== placeOfKey(alias).domainId;
  }

  /** Creates unknown tags: call last before the write, so that a rejected link leaves none. */
  private async tagsFor(
    { ownerId, alias, tagNames }: Pick<LinkUpdate, 'alias' | 'tagNames'> & Pick<NewLink, 'ownerId'>,
    link: Link | null,
  ): Promise<string[] | undefined> {
    if (tagNames === undefined || ownerId === null) return undefined;
    if (tagNames.length > 0) await this.refuseTaken(alias, link);
    return this.tags.idsFor(ownerId, tagNames);
  }

  /** @param link whose alias is to change; null for a new link. @throws AliasTakenError */
  private async refuseTaken(alias: string | null | undefined, link: Link | null): Promise<void> {
    if (!alias || alias === link?.alias) return;
    const holder = (await this.reads.findHolders([alias])).get(alias);
    if (holder && holder.id !== link?.id) throw new AliasTakenError(alias, holder.alias);
  }

  /** Returns after the change has taken effect in every web process. */
  private async change(
    read: Link,
    change: LinkChange,
    caller: Principal,
    touch: boolean,
  ): Promise<Link> {
    let link = read;
    for (let attempt = 0; attempt < CHANGES_BETWEEN; attempt++) {
      const changed = await this.repository.change(link, change, new Date(), touch);
      if (changed !== null) {
        await this.cache.invalidate(...new Set([link.alias, changed.alias]));
        return this.activateQuota(changed, change);
      }
      link = await this.changeableLink(link.id, caller);
    }
    throw new UnknownLinkError('id');
  }

  /**
   * Clicks before the new limit took no slot and count only once recorded. Slots are therefore
   * issued once those clicks are recorded and every web process knows the limit. If recording is
   * slow, the link opens after QUOTA_ACTIVATION_MS, and clicks recorded later still count.
   */
  private async activateQuota(link: Link, change: LinkChange): Promise<Link> {
    if (!awaitsQuota(link, change) || !(await this.catchUpClicks())) return link;
    const active = await this.repository.activateQuota(link.id, change.status !== undefined);
    await this.cache.invalidate(link.alias);
    return active ?? link;
  }

  /** Waits until all previous clicks are recorded; returns false on timeout. */
  async catchUpClicks(): Promise<boolean> {
    try {
      await this.catchUp.run();
      return true;
    } catch (error) {
      this.log.warn('Clicks recorded before a link had a click limit may be counted late', {
        err: error,
      });
      return false;
    }
  }
}

/** Undefined if unchanged, because an imported destination may exceed the length limit. */
function longUrlAfter(link: Link, requested: string | undefined): string | undefined {
  if (requested === undefined || requested === link.longUrl) return undefined;
  if (maxLength(requested, MAX_URL_LENGTH)) return requested;
  const problem = `long_url must be shorter than or equal to ${MAX_URL_LENGTH} characters`;
  throw UnprocessableError.forField('long_url', problem);
}

export function awaitsQuota(link: Link, change: LinkChange): boolean {
  return link.quotaActiveFrom !== null && typeof change.maxClicks === 'number';
}
