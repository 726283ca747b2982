import { Injectable } from '@nestjs/common';
import { JournalWriter } from '../clicks/journal/journal.writer';
import { SIGNALS } from '../engines/click-engine/chunk/click';
import { clickCampaign } from '../common/campaign';
import { AppLog } from '../common/log';
import { LogOptions } from '../config/options';
import { RedirectMeter } from '../infrastructure/meters/redirect-meter';
import type { RememberedLink } from '../stores/links/link';
import { toLocation } from '../destinations/location';
import { clickAddress, clickReferer, clickUserAgent } from './click-details';
import { ClickQuota } from './click-quota';
import type { Diversion } from './diversion';
import { VisitDestination } from './visit-destination';
import type { Visit } from './visit-steps';

/** Sends the redirect; returns the request ID in the response. */
export type SendRedirect = (location: string) => string;

/** Not NextStep, so that an action without code here does not compile. */
type Handled = 'password' | 'slot' | 'exempt' | 'click' | Diversion;

/** Sends a redirect once its click is in the journal (docs/contract.md#8.1). */
@Injectable()
export class RedirectService {
  /** Whether to log each redirect, which happens only at level debug. */
  private readonly traced: boolean;

  constructor(
    private readonly quota: ClickQuota,
    private readonly destination: VisitDestination,
    private readonly journal: JournalWriter,
    private readonly meter: RedirectMeter,
    private readonly log: AppLog,
    { level }: LogOptions,
  ) {
    this.traced = level === 'debug' || level === 'trace';
  }

  /** Synchronous for links without max_clicks. Throws or rejects if the visit is refused. */
  redirect(
    link: RememberedLink,
    visit: Visit,
    send: SendRedirect,
    next: Handled,
  ): void | Promise<void> {
    if (typeof next === 'object') {
      this.divert(link, next, send);
      return;
    }
    const preparation = this.destination.preparation(link);
    if (preparation !== null) return preparation.then(() => this.redirect(link, visit, send, next));
    const needsSlot = next === 'slot';
    if (visit.counted) {
      if (next === 'exempt') return this.redirectExempt(link, visit, send);
      if (needsSlot) return this.takeSlot(link, visit, send);
      this.record(link, visit, false, send);
      return;
    }
    if (needsSlot) return this.head(link, visit, send);
    this.look(link, visit, send);
  }

  private async takeSlot(
    remembered: RememberedLink,
    visit: Visit,
    send: SendRedirect,
  ): Promise<void> {
    const { link, slot, diversion } = await this.quota.takeSlot(remembered);
    await this.destination.preparation(link);
    if (diversion === null) this.record(link, visit, slot, send);
    else this.divert(link, diversion, send);
  }

  /** Redirects a preview or bot that takes no slot, if the link still has slots. */
  private async redirectExempt(
    remembered: RememberedLink,
    visit: Visit,
    send: SendRedirect,
  ): Promise<void> {
    const exempt = { ...visit, flags: visit.flags | SIGNALS.exempt };
    if (remembered.maxClicks === null) {
      this.record(remembered, exempt, false, send);
      return;
    }
    const { link, diversion } = await this.quota.check(remembered);
    if (diversion !== null) {
      this.divert(link, diversion, send);
      return;
    }
    // The owner may have enabled counting of bots after the link was cached.
    if (link.countBots) return this.takeSlot(link, visit, send);
    this.record(link, exempt, false, send);
  }

  private async head(remembered: RememberedLink, visit: Visit, send: SendRedirect): Promise<void> {
    const { link, diversion } = await this.quota.check(remembered);
    await this.destination.preparation(link);
    if (diversion === null) this.look(link, visit, send);
    else this.divert(link, diversion, send);
  }

  private look(link: RememberedLink, visit: Visit, send: SendRedirect): void {
    this.meter.outcomes.looked++;
    this.send(link, this.findDestination(link, visit).location, send);
  }

  private divert(link: RememberedLink, { url, outcome }: Diversion, send: SendRedirect): void {
    this.meter.outcomes[outcome]++;
    this.send(link, toLocation(url), send);
  }

  private record(link: RememberedLink, visit: Visit, slot: boolean, send: SendRedirect): void {
    const { location, variant } = this.findDestination(link, visit);
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
        variant,
      },
      () => {
        this.send(link, location, send);
        this.meter.redirected(visit.begun);
      },
    );
  }

  private send(link: RememberedLink, location: string, send: SendRedirect): void {
    const requestId = send(location);
    if (this.traced) this.log.debug('Redirected', { requestId, alias: link.alias });
  }

  private findDestination(
    link: RememberedLink,
    visit: Visit,
  ): { location: string; variant: string } {
    if (link.isPlain === true) return { location: link.location, variant: '' };
    const { location, key } = this.destination.findFor(link, visit);
    return { location, variant: key ?? '' };
  }
}
