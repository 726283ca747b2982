import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { isFixedSegment } from '../core/fixed-segments';
import type { Link } from '../links/lookup/link';
import { LinkDirectory } from '../links/lookup/link-directory';
import { REDIRECT_HEADERS } from '../redirect/redirect-answer';
import { UnknownLinkError } from '../redirect/redirect.errors';
import { normaliseCode } from '../redirect/short-path';
import { Visits } from '../redirect/visits';
import { PasswordGate } from './password-gate';
import { NoPasswordNeededError } from './unlock.errors';

/** Visits to links with a password (contract 8.2). */
@Injectable()
export class UnlockService {
  constructor(
    private readonly directory: LinkDirectory,
    private readonly visits: Visits,
    private readonly gate: PasswordGate,
  ) {}

  /** GET and HEAD /{code}: the password comes in a header, which wins, or in the query. */
  async open(code: string, request: Request, response: Response): Promise<void> {
    const at = Date.now();
    const link = await this.find(code, response, at);
    if (link.passwordHash !== null) {
      const { password } = request.query;
      const presented = request.get('x-link-password') ?? password;
      await this.gate.unlock(link, presented, request, response);
    }
    const query = request.originalUrl.split('?').slice(1).join('?');
    await this.visits.admit(link, { request, response, at, query, status: 302 });
  }

  /** POST /{code}/password, from the form. */
  async submit(
    code: string,
    password: unknown,
    request: Request,
    response: Response,
  ): Promise<void> {
    const at = Date.now();
    const link = await this.find(code, response, at);
    if (link.passwordHash === null) throw new NoPasswordNeededError();
    await this.gate.unlock(link, password, request, response);
    await this.visits.admit(link, { request, response, at, query: '', status: 303 });
  }

  private async find(code: string, response: Response, now: number): Promise<Link> {
    for (const [name, value] of REDIRECT_HEADERS) response.setHeader(name, value);
    // Express has percent-decoded the code already.
    const alias = isFixedSegment(code) ? null : normaliseCode(encodeURIComponent(code));
    const link = alias === null ? null : await this.directory.find(alias);
    if (link === null) throw new UnknownLinkError();
    this.visits.refuseClosed(link, now);
    return link;
  }
}
