import { Injectable } from '@nestjs/common';
import { HttpOptions, LogOptions } from '../config/options';
import { AppLog } from '../core/log';
import { isExpired, type Link } from '../links/lookup/link';
import { ClientAddress } from '../platform/address/client-address';
import { isCrawler } from '../platform/crawlers/crawlers';
import { JournalWriter } from '../platform/journal/journal.writer';
import { RedirectMeter } from '../platform/meters/redirect-meter';
import { ClickQuota } from './click-slots';
import { RedirectResponse } from './redirect-answer';
import { BotBlockedError, LinkGoneError } from './redirect.errors';
import { isCounted, type RedirectRequest } from './visit';
import { clickAddress, clickCampaign, clickReferer, clickUserAgent } from './visit-details';

/**
 * Resolves a visit to a link that is there and whose password, if any, was given: bots, slot,
 * journal, redirect (contract 8.1). The redirect leaves when its click is in the journal.
 */
@Injectable()
export class RedirectService {
  private readonly answer: RedirectResponse;
  /** A line a redirect, at debug alone: below it not even the line is made. */
  private readonly traced: boolean;

  constructor(
    private readonly slots: ClickQuota,
    private readonly journal: JournalWriter,
    private readonly address: ClientAddress,
    private readonly meter: RedirectMeter,
    private readonly log: AppLog,
    http: HttpOptions,
    { level }: LogOptions,
  ) {
    this.traced = level === 'debug' || level === 'trace';
    this.answer = new RedirectResponse(http.baseUrl.startsWith('https:'));
  }

  /** Throws LinkGoneError for a link that redirects nobody now. */
  refuseClosed(link: Link, now: number): void {
    if (link.status === 'INACTIVE' || isExpired(link, now)) throw new LinkGoneError();
  }

  /** Redirects, at once for links without max_clicks; throws or rejects with the refusal. */
  redirect(link: Link, visit: RedirectRequest): void | Promise<void> {
    if (!isCounted(visit)) {
      if (link.maxClicks !== null) return this.head(link, visit);
      this.meter.outcomes.looked++;
      this.send(link, visit);
      return;
    }
    if (link.blockBots && isCrawler(clickUserAgent(visit.request.headers['user-agent']))) {
      throw new BotBlockedError();
    }
    if (link.maxClicks !== null) return this.takeSlot(link, visit);
    this.record(link, visit, false);
  }

  private async takeSlot(remembered: Link, visit: RedirectRequest): Promise<void> {
    const { link, slot } = await this.slots.take(remembered);
    this.record(link, visit, slot);
  }

  private async head(remembered: Link, visit: RedirectRequest): Promise<void> {
    const { link } = await this.slots.check(remembered);
    this.meter.outcomes.looked++;
    this.send(link, visit);
  }

  private record(link: Link, visit: RedirectRequest, slot: boolean): void {
    const { headers } = visit.request;
    this.journal.append(
      {
        at: visit.at,
        linkId: link.id,
        ip: clickAddress(this.address.of(visit.request)),
        userAgent: clickUserAgent(headers['user-agent']),
        referer: clickReferer(headers.referer),
        query: clickCampaign(visit.query),
        redirectMs: Math.max(0, Date.now() - visit.at),
        slot,
      },
      () => {
        this.send(link, visit);
        this.meter.redirected(visit.begun);
      },
    );
  }

  private send(link: Link, visit: RedirectRequest): void {
    const requestId = this.answer.send(visit.response, visit.status, link.longUrl);
    if (this.traced) this.log.debug('Redirected', { requestId, alias: link.alias });
  }
}
