import { createHmac } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { campaignValue } from '../../common/campaign';
import { headerText } from '../../common/header-text';
import { parseUrl } from '../../config/url';
import { plainAddress } from '../../infrastructure/client-address/ip-address';
import type { GeoReader } from '../../infrastructure/geoip/geo.reader';
import { parseUserAgent } from '../../infrastructure/user-agent/user-agent';
import type { ClickEvent } from '../click-event';
import { agentVerdict } from '../crawlers';
import { type Click, NO_REDIRECT_MS, SIGNALS } from '../../engines/click-engine/chunk/click';

/** Maximum referrer length, sufficient because host names have at most 253 characters. */
const MAX_REFERRER_CHARACTERS = 300;
const MAX_REMEMBERED_CHARACTERS = 512;

const referrers = new LRUCache<string, { referrer: string | null }>({ max: 2000 });

/** Returns `scheme://host` from a Referer header in lower case; null if missing or invalid. */
export function toReferrer(referer: string): string | null {
  if (referer === '') return null;
  if (referer.length > MAX_REMEMBERED_CHARACTERS) return parseReferrer(referer);
  let known = referrers.get(referer);
  if (known === undefined) {
    known = { referrer: parseReferrer(referer) };
    referrers.set(referer, known);
  }
  return known.referrer;
}

/** Matches URLs without a host, in which URL parsers would skip the additional slashes. */
const NO_AUTHORITY = /^[^:]*:\/\/\//;

function parseReferrer(referer: string): string | null {
  if (NO_AUTHORITY.test(referer)) return null;
  const url = parseUrl(headerText(referer));
  if (url === null || url.hostname === '') return null;
  const referrer = `${url.protocol}//${url.hostname}`.toLowerCase();
  return referrer.length > MAX_REFERRER_CHARACTERS ? null : referrer;
}

export interface Campaign {
  utmSource: string | null;
  utmMedium: string | null;
  utmCampaign: string | null;
}

const NO_CAMPAIGN: Campaign = { utmSource: null, utmMedium: null, utmCampaign: null };

export function parseCampaign(query: string): Campaign {
  if (query === '') return NO_CAMPAIGN;
  const parameters = new URLSearchParams(query);
  return {
    utmSource: campaignValue(parameters.get('utm_source') ?? ''),
    utmMedium: campaignValue(parameters.get('utm_medium') ?? ''),
    utmCampaign: campaignValue(parameters.get('utm_campaign') ?? ''),
  };
}

type VisitorDetails = Omit<
  Click,
  'at' | 'redirectMs' | 'referrer' | 'slot' | 'variant' | keyof Campaign
>;

/** Converts a visit to a click (docs/contract.md#8.4), which does not contain the IP address. */
export class Enricher {
  private readonly visitorsOfLate = new LRUCache<string, VisitorDetails>({ max: 5000 });

  constructor(
    private readonly geo: GeoReader,
    private readonly visitors: VisitorHasher,
  ) {}

  enrich(visit: ClickEvent): Click {
    const { visitor, browser, os, device, country, countryCode, city, botName, signals } =
      this.findVisitorDetails(visit);
    const { utmSource, utmMedium, utmCampaign } = parseCampaign(visit.query);
    return {
      at: visit.at,
      visitor,
      browser,
      os,
      device,
      country,
      countryCode,
      city,
      referrer: toReferrer(visit.referer),
      utmSource,
      utmMedium,
      utmCampaign,
      variant: visit.variant === '' ? null : visit.variant,
      botName,
      redirectMs: Math.min(visit.redirectMs, NO_REDIRECT_MS - 1),
      slot: visit.slot,
      signals: signals | visit.flags,
    };
  }

  private findVisitorDetails({ ip, userAgent }: ClickEvent): VisitorDetails {
    const key = `${ip}\0${userAgent}`;
    if (key.length > MAX_REMEMBERED_CHARACTERS) return this.lookUp(ip, userAgent);
    let details = this.visitorsOfLate.get(key);
    if (details === undefined) {
      details = this.lookUp(ip, userAgent);
      this.visitorsOfLate.set(key, details);
    }
    return details;
  }

  private lookUp(ip: string, userAgent: string): VisitorDetails {
    const address = plainAddress(ip);
    const { name, isPreviewer } = agentVerdict(userAgent);
    return {
      visitor: this.visitors.hash(address, userAgent),
      ...parseUserAgent(userAgent),
      ...this.geo.locate(address),
      botName: name,
      signals: isPreviewer ? SIGNALS.previewer : 0,
    };
  }
}

const HASH_BYTES = 12;

/** Returns, as hex, the first 12 bytes of HMAC-SHA256 over IP address, NUL and User-Agent. */
export class VisitorHasher {
  private readonly known = new LRUCache<string, string>({ max: 5000 });

  constructor(private readonly key: Buffer) {}

  hash(address: string, userAgent: string): string {
    const visitor = `${address}\0${userAgent}`;
    if (visitor.length > MAX_REMEMBERED_CHARACTERS) return this.digest(visitor);
    let hash = this.known.get(visitor);
    if (hash === undefined) {
      hash = this.digest(visitor);
      this.known.set(visitor, hash);
    }
    return hash;
  }

  private digest(visitor: string): string {
    return createHmac('sha256', this.key)
      .update(visitor)
      .digest('hex')
      .slice(0, HASH_BYTES * 2);
  }
}
