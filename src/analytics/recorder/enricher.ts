import { type ClickEvent, USER_AGENT_LENGTH } from '../../core/link-visited';
import { crawlerName } from '../../platform/crawlers/crawlers';
import { plainAddress } from '../../platform/address/ip-address';
import type { GeoReader } from '../../platform/geo/geo.reader';
import type { Click } from '../ledger/click';
import { referrerOf } from './referrer';
import { parseUserAgent } from './user-agent';
import { campaignOf } from './utm';
import type { VisitorHasher } from './visitor';

/** Turns a raw visit into the click that is kept (contract 8.4); the address ends here. */
export class Enricher {
  constructor(
    private readonly geo: GeoReader,
    private readonly visitors: VisitorHasher,
  ) {}

  enrich(visit: ClickEvent): Click {
    const address = plainAddress(visit.ip);
    // Journals of earlier versions hold whole headers.
    const userAgent = visit.userAgent.slice(0, USER_AGENT_LENGTH);
    return {
      at: visit.at,
      visitor: this.visitors.hash(address, userAgent),
      ...parseUserAgent(userAgent),
      ...this.geo.locate(address),
      referrer: referrerOf(visit.referer),
      ...campaignOf(visit.query),
      botName: crawlerName(userAgent),
      redirectMs: visit.redirectMs,
      slot: visit.slot,
    };
  }
}
