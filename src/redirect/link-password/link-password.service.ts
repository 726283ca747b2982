import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { isFixedSegment } from '../../common/fixed-segments';
import type { Link } from '../../links/link';
import { LinkCache } from '../../links/link-cache';
import { RedirectMeter } from '../../infrastructure/meters/redirect-meter';
import { REDIRECT_HEADERS } from '../redirect-response';
import { UnknownLinkError } from '../redirect.errors';
import { toAlias } from '../short-path';
import type { RedirectRequest } from '../redirect.service';
import { RedirectService } from '../redirect.service';
import { LinkPasswordVerifier } from './link-password.verifier';
import { NoPasswordNeededError } from './link-password.errors';

/** Visits to links with a password (docs/contract.md#8.2). */
@Injectable()
export class LinkPasswordService {
  constructor(
    private readonly directory: LinkCache,
    private readonly visits: RedirectService,
    private readonly gate: LinkPasswordVerifier,
    private readonly meter: RedirectMeter,
  ) {}

  /** GET and HEAD /{code}: the password comes in a header, which wins, or in the query. */
  open(code: string, request: Request, response: Response): Promise<void> {
    const { password } = request.query;
    const presented = request.get('x-link-password') ?? password;
    const query = request.originalUrl.split('?').slice(1).join('?');
    return this.metered(async () => {
      const visit = { request, response, ...moment(), query, status: 302 } as const;
      const link = await this.find(code, response, visit.at);
      if (link.passwordHash !== null) await this.gate.unlock(link, presented, request, response);
      await this.visits.redirect(link, visit);
    });
  }

  /** POST /{code}/password, from the form. */
  submit(code: string, password: unknown, request: Request, response: Response): Promise<void> {
    return this.metered(async () => {
      const visit = { request, response, ...moment(), query: '', status: 303 } as const;
      const link = await this.find(code, response, visit.at);
      if (link.passwordHash === null) throw new NoPasswordNeededError();
      await this.gate.unlock(link, password, request, response);
      await this.visits.redirect(link, visit);
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

  private async find(code: string, response: Response, now: number): Promise<Link> {
    for (const [name, value] of REDIRECT_HEADERS) response.setHeader(name, value);
    // Express has percent-decoded the code already.
    const alias = isFixedSegment(code) ? null : toAlias(code);
    const link = alias === null ? null : await this.directory.find(alias);
    if (link === null) throw new UnknownLinkError();
    this.visits.refuseClosed(link, now);
    return link;
  }
}

function moment(): Pick<RedirectRequest, 'at' | 'begun'> {
  return { at: Date.now(), begun: performance.now() };
}
