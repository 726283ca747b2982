import { Injectable } from '@nestjs/common';
import { maxLength } from 'class-validator';
import { BlockedDestinations } from '../../blocklists/blocked-destinations';
import { hostName } from '../../common/host';
import { HttpOptions, SiteOptions } from '../../config/options';
import { parseUrl } from '../../config/url';
import { destinationAddresses } from '../../destinations/destination-rules';
import { mergeUtm } from '../../destinations/utm';
import type { Client } from '../../infrastructure/client-address/client-address';
import { isHeld } from '../../stores/domains/domain';
import { DomainRegistry } from '../../stores/domains/domain-registry';
import type {
  CreateLink,
  Link,
  LinkChange,
  LinkSettings,
  LinkUpdate,
  NewLink,
  RequestedSettings,
} from '../../stores/links/link';
import { nestedUrls } from '../../stores/links/nested-urls';
import { TaggedUrlTooLongError, TemplateNeedsAccountError } from '../utm/utm.errors';
import { UtmTemplatesService } from '../utm/utm-templates.service';
import { isWebAddress, MAX_URL_LENGTH, refuseAppAddress, refuseDestination } from './destination';
import { hashLinkPassword, isLinkPassword } from './link-password';
import {
  checkedSettings,
  refuseWithoutOwner,
  type RulableChange,
  type RulableSettings,
} from './link-rules';
import {
  AnonymousLinksClosedError,
  DestinationBlockedError,
  DestinationError,
} from './links.errors';

type PasswordHashing = typeof hashLinkPassword;

export type SharedUpdate = Omit<LinkUpdate, 'alias' | 'domain' | 'password' | 'utm'>;

/** Settings with URLs, in validation order. */
const DESTINATIONS = [
  ['longUrl', 'long_url'],
  ['preStartUrl', 'pre_start_url'],
  ['expiredRedirectUrl', 'expired_redirect_url'],
] as const satisfies readonly (readonly [keyof RequestedSettings, string])[];

/** Validates the settings of new and changed links (docs/contract.md#5.1 and 5.2). */
@Injectable()
export class LinkValidationService {
  constructor(
    private readonly blocked: BlockedDestinations,
    private readonly templates: UtmTemplatesService,
    private readonly domains: DomainRegistry,
    private readonly http: HttpOptions,
    private readonly site: SiteOptions,
  ) {}

  /** Throws for the first broken rule (docs/contract.md#5.1); alias and tags are added later. */
  async judgeNew(
    { tagNames, domain, ...input }: CreateLink,
    now: Date,
    client: Client,
    hash: PasswordHashing = hashLinkPassword,
  ): Promise<Omit<NewLink, 'alias' | 'tags'>> {
    this.demandOwner(input.ownerId);
    refuseWithoutOwner({ ...input, domain, tagNames });
    const tagged = await this.withUtm(input, input.longUrl, input.ownerId);
    return { ...tagged, ...(await this.judge(tagged, null, now, client, hash)) };
  }

  /** Validates a change for many links, except its tags; throws like `update`. */
  async judgeChange(
    { status, ...requested }: Omit<SharedUpdate, 'tagNames'>,
    client: Client,
  ): Promise<LinkChange> {
    return { ...(await this.judge(requested, null, new Date(), client)), status };
  }

  /** @throws AnonymousLinksClosedError */
  demandOwner(ownerId: string | null): void {
    if (ownerId === null && !this.site.anonymousLinks) throw new AnonymousLinksClosedError();
  }

  /** See docs/contract.md#5.2. @throws DestinationError, DestinationBlockedError */
  async checkDestination(url: string, field?: string, opensApps = false): Promise<void> {
    const isOfApp = opensApps && !isWebAddress(url);
    if (isOfApp) refuseAppAddress(url, field);
    for (const destination of isOfApp ? nestedUrls(url) : [url]) {
      refuseDestination(destination, this.http, field);
      this.refuseOwnDomains(destination, field);
    }
    const verdict = await this.blocked.judge(url);
    if (verdict !== 'allowed') throw new DestinationBlockedError(verdict, field);
  }

  /**
   * Throws for the first setting that breaks a rule (docs/contract.md#5.1). Absent and null values
   * change nothing.
   * @param link null for a new link
   */
  async judge(
    requested: RulableSettings,
    link: null,
    now: Date,
    client: Client,
    hash: PasswordHashing,
  ): Promise<Omit<LinkSettings, 'alias' | 'tags'>>;
  async judge(
    requested: RulableChange,
    link: Link | null,
    now: Date,
    client: Client,
  ): Promise<Omit<LinkChange, 'tags'>>;
  async judge(
    requested: RulableChange,
    link: Link | null,
    now: Date,
    client: Client,
    hash: PasswordHashing = hashLinkPassword,
  ): Promise<Omit<LinkChange, 'tags'>> {
    for (const [setting, field] of DESTINATIONS) {
      const url = requested[setting];
      if (typeof url === 'string') await this.checkDestination(url, field);
    }
    const checked = checkedSettings(requested, link, now);
    // A link may contain the same URL up to eighty times.
    const judged = new Set<string>();
    for (const { url, field, opensApps } of destinationAddresses(checked.destinations ?? {})) {
      if (!judged.has(url)) await this.checkDestination(url, field, opensApps);
      if (!opensApps) judged.add(url);
    }
    const passwordHash = await hashNewPassword(requested.password, link, client, hash);
    return { ...checked, passwordHash };
  }

  /** @param present the destination to use if the settings have none (docs/contract.md#33.1) */
  async withUtm<Settings extends Omit<LinkUpdate, 'status'>>(
    { utm, ...settings }: Settings,
    present: string,
    ownerId: string | null,
  ): Promise<Omit<Settings, 'utm'>> {
    if (!utm) return settings;
    const { template = null } = utm;
    if (template !== null && ownerId === null) throw new TemplateNeedsAccountError();
    const longUrl = settings.longUrl ?? present;
    refuseDestination(longUrl, this.http);
    const values =
      template === null || ownerId === null
        ? null
        : await this.templates.findValues(template, ownerId);
    const tagged = mergeUtm(longUrl, utm, values);
    if (!maxLength(tagged, MAX_URL_LENGTH)) throw new TaggedUrlTooLongError(MAX_URL_LENGTH);
    return { ...settings, longUrl: tagged };
  }

  /** Prevents loops (5.2), since every custom domain leads back to this service. */
  private refuseOwnDomains(url: string, field?: string): void {
    const target = parseUrl(url);
    const domain = target && this.domains.find(hostName(target.hostname));
    if (!domain || !isHeld(domain)) return;
    const { port } = new URL(this.http.baseUrl);
    if (target.port === '' || target.port === port) throw new DestinationError('loop', field);
  }
}

/** Setting the same password is not a change, although its new hash would differ. */
async function hashNewPassword(
  password: string | null | undefined,
  link: Link | null,
  client: Client,
  hash: PasswordHashing,
): Promise<string | null | undefined> {
  if (password === null || password === undefined) return password;
  const known = link?.passwordHash ?? null;
  const same = known !== null && (await isLinkPassword(password, known, client));
  return same ? undefined : hash(password, client);
}
