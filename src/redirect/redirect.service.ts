import { Injectable } from '@nestjs/common';
import { isCrawler } from '../clicks/crawlers';
import { JournalWriter } from '../clicks/journal/journal.writer';
import { AppLog } from '../common/log';
import { LogOptions } from '../config/options';
import { RedirectMeter } from '../infrastructure/meters/redirect-meter';
import { isClosed, type RememberedLink } from '../links/link';
import { clickAddress, clickCampaign, clickReferer, clickUserAgent } from './click-details';
import { ClickQuota } from './click-quota';
import { BotBlockedError, LinkGoneError } from './redirect.errors';

/** A request that a link is to be resolved for. */
export interface Visit {
  /** Milliseconds since 1970-01-01 UTC at which the request arrived. */
  readonly at: number;
  /** The same moment on the monotonic clock. */
  readonly begun: number;
  /** HEAD counts nothing, takes no slot and knows no bot rule (docs/contract.md#7, docs/contract.md#8.1). */
  readonly counted: boolean;
  /** The visitor's whole address. */
  readonly address: string;
  readonly userAgent: string | undefined;
  readonly referer: string | undefined;
  /** Query of the visited short URL without `?`. */
  readonly query: string;
}

/** Redirects the visitor to that destination; answers the id that the response carries. */
export type SendRedirect = (location: string) => string;

/**
 * Resolves a visit to a link that is there and whose password, if any, was given: bots, slot,
 * journal, redirect (docs/contract.md#8.1). The redirect leaves when its click is in the journal.
 */
@Injectable()
export class RedirectService {
  /** A line a redirect, at debug alone: below it not even the line is made. */
  private readonly traced: boolean;

  constructor(
    private readonly quota: ClickQuota,
    private readonly journal: JournalWriter,
    private readonly meter: RedirectMeter,
    private readonly log: AppLog,
    { level }: LogOptions,
  ) {
    this.traced = level === 'debug' || level === 'trace';
  }

  /** Throws LinkGoneError for a link that redirects nobody now. */
  refuseClosed(link: RememberedLink, now: number): void {
    if (isClosed(link, now)) throw new LinkGoneError();
  }

  /** Whether nothing but the record of its click stands between a visit of the link and its redirect. */
  needsClickAlone(link: RememberedLink, now: number): boolean {
    return (
      link.passwordHash === null &&
      link.maxClicks === null &&
      !link.blockBots &&
      !isClosed(link, now)
    );
  }

  /** Redirects, at once for links without max_clicks; throws or rejects with the refusal. */
  redirect(link: RememberedLink, visit: Visit, send: SendRedirect): void | Promise<void> {
    if (!visit.counted) {
      if (link.maxClicks !== null) return this.head(link, send);
      this.meter.outcomes.looked++;
      this.send(link, send);
      return;
    }
    if (link.blockBots && isCrawler(clickUserAgent(visit.userAgent))) throw new BotBlockedError();
    if (link.maxClicks !== null) return this.takeSlot(link, visit, send);
    this.record(link, visit, false, send);
  }

  private async takeSlot(
    remembered: RememberedLink,
    visit: Visit,
    send: SendRedirect,
  ): Promise<void> {
    const { link, slot } = await this.quota.take(remembered);
    this.record(link, visit, slot, send);
  }

  private async head(remembered: RememberedLink, send: SendRedirect): Promise<void> {
    const { link } = await this.quota.check(remembered);
    this.meter.outcomes.looked++;
    this.send(link, send);
  }

  private record(link: RememberedLink, visit: Visit, slot: boolean, send: SendRedirect): void {
    this.journal.append(
      {
        at: visit.at,
        linkId: link.id,
        ip: clickAddress(visit.address),
        userAgent: clickUserAgent(visit.userAgent),
        referer: clickReferer(visit.referer),
        query: clickCampaign(visit.query),
        redirectMs: Math.max(0, Date.now() - visit.at),
        slot,
      },
      () => {
        this.send(link, send);
        this.meter.redirected(visit.begun);
      },
    );
  }

  private send(link: RememberedLink, send: SendRedirect): void {
    const requestId = send(link.location);
    if (this.traced) this.log.debug('Redirected', { requestId, alias: link.alias });
  }
}
