import { Injectable } from '@nestjs/common';
import { JournalWriter } from '../clicks/journal/journal.writer';
import { clickCampaign } from '../common/campaign';
import { AppLog } from '../common/log';
import { LogOptions } from '../config/options';
import { RedirectMeter } from '../infrastructure/meters/redirect-meter';
import type { RememberedLink } from '../link-store/link';
import { clickAddress, clickReferer, clickUserAgent } from './click-details';
import { ClickQuota } from './click-quota';
import type { NextStep, Visit } from './visit-steps';

/** Redirects the visitor to that destination; returns the id that the response carries. */
export type SendRedirect = (location: string) => string;

/**
 * Ends a visit that no step refuses (visit-steps.ts): slot, journal, redirect (docs/contract.md#8.1).
 * The redirect leaves when its click is in the journal.
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

  /** Redirects, at once for links without max_clicks; throws or rejects with the refusal. */
  redirect(
    link: RememberedLink,
    visit: Visit,
    send: SendRedirect,
    next: NextStep,
  ): void | Promise<void> {
    const needsSlot = next === 'slot';
    if (visit.counted) {
      if (needsSlot) return this.takeSlot(link, visit, send);
      this.record(link, visit, false, send);
      return;
    }
    if (needsSlot) return this.head(link, send);
    this.meter.outcomes.looked++;
    this.send(link, send);
  }

  private async takeSlot(
    remembered: RememberedLink,
    visit: Visit,
    send: SendRedirect,
  ): Promise<void> {
    const { link, slot } = await this.quota.takeSlot(remembered);
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
        query: clickCampaign(visit.query) || link.campaign,
        redirectMs: Math.max(0, Date.now() - visit.at),
        slot,
        flags: visit.flags,
        variant: '',
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
