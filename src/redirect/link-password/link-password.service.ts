import { Injectable } from '@nestjs/common';
import type { RememberedLink } from '../../stores/links/link';
import { LinkCache } from '../../links/cache/link-cache';
import { RedirectMeter } from '../../infrastructure/meters/redirect-meter';
import { RedirectService, type SendRedirect } from '../redirect.service';
import { decideDiversion } from '../diversion';
import { nextStep, type Visit } from '../visit-steps';
import { UnknownLinkError } from '../../stores/links/link.errors';
import { keyOfCode } from '../../stores/links/alias-form';
import { NoPasswordNeededError } from './link-password.errors';
import { LinkPasswordVerifier, type PresentedPassword } from './link-password.verifier';

@Injectable()
export class LinkPasswordService {
  constructor(
    private readonly cache: LinkCache,
    private readonly redirects: RedirectService,
    private readonly verifier: LinkPasswordVerifier,
    private readonly meter: RedirectMeter,
  ) {}

  /** Handles GET and HEAD /{code}. Redirects immediately if the link has no password. */
  open(
    code: string,
    domainId: string | null,
    presented: PresentedPassword,
    visit: Visit,
    send: SendRedirect,
  ): Promise<void> {
    return this.metered(async () => {
      const link = await this.find(code, domainId);
      let next = nextStep(link, visit);
      if (next === 'password') {
        await this.verifier.verify(link, presented);
        next = nextStep(link, { ...visit, unlocked: true });
      }
      await this.redirects.redirect(link, visit, send, next);
    });
  }

  submit(
    code: string,
    domainId: string | null,
    presented: PresentedPassword,
    visit: Visit,
    send: SendRedirect,
  ): Promise<void> {
    return this.metered(async () => {
      const link = await this.find(code, domainId);
      const diversion = decideDiversion(link, visit.at);
      if (diversion !== null) {
        await this.redirects.redirect(link, visit, send, diversion);
        return;
      }
      if (link.passwordHash === null) throw new NoPasswordNeededError();
      await this.verifier.verify(link, presented);
      const next = nextStep(link, { ...visit, unlocked: true });
      await this.redirects.redirect(link, visit, send, next);
    });
  }

  private async metered(visiting: () => Promise<void>): Promise<void> {
    try {
      await visiting();
    } catch (error) {
      this.meter.refused(error);
      throw error;
    }
  }

  private async find(code: string, domainId: string | null): Promise<RememberedLink> {
    // Express has already decoded the code.
    const key = keyOfCode(domainId, code);
    const link = key === null ? null : await this.cache.find(key);
    if (link === null) throw new UnknownLinkError('address');
    return link;
  }
}
