import type { IncomingMessage, ServerResponse } from 'node:http';
import { Injectable } from '@nestjs/common';
import { isCrawler } from '../clicks/crawlers';
import { JournalWriter } from '../clicks/journal/journal.writer';
import { AppLog } from '../common/log';
import { HttpOptions, LogOptions } from '../config/options';
import { ClientAddress } from '../infrastructure/client-address/client-address';
import { RedirectMeter } from '../infrastructure/meters/redirect-meter';
import { isClosed, type Link } from '../links/link';
import { clickAddress, clickCampaign, clickReferer, clickUserAgent } from './click-details';
import { ClickQuota } from './click-quota';
import { RedirectResponse } from './redirect-response';
import { BotBlockedError, LinkGoneError } from './redirect.errors';

/** A request that a link is to be resolved for. */
export interface RedirectRequest {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Milliseconds since 1970-01-01 UTC at which the request arrived. */
  readonly at: number;
  /** The same moment on the monotonic clock. */
  readonly begun: number;
  /** Query of the visited short URL without `?`. */
  readonly query: string;
  /** 302 for the redirect, 303 after a password form. */
  readonly status: 302 | 303;
}

/** HEAD counts nothing, takes no slot and knows no bot rule (docs/contract.md#7, docs/contract.md#8.1). */
export function isCounted(visit: RedirectRequest): boolean {
  return visit.request.method !== 'HEAD';
}

/**
 * Resolves a visit to a link that is there and whose password, if any, was given: bots, slot,
 * journal, redirect (docs/contract.md#8.1). The redirect leaves when its click is in the journal.
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
    if (isClosed(link, now)) throw new LinkGoneError();
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
