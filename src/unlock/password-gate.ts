import type { IncomingMessage, ServerResponse } from 'node:http';
import { Injectable } from '@nestjs/common';
import { limitRow } from '../access/limits.table';
import { RateLimiter } from '../access/rate-limiter';
import type { Link } from '../links/lookup/link';
import { ClientAddress } from '../platform/address/client-address';
import { verifyPassword } from '../platform/hashing/password-hash';
import type { WindowRule } from '../platform/windows/window-store';
import { LinkPasswordRequiredError, LinkPasswordWrongError } from './unlock.errors';

/** Where every password presented for a link is counted and checked (contract 8.2). */
@Injectable()
export class LinkPasswordVerifier {
  constructor(
    private readonly limiter: RateLimiter,
    private readonly address: ClientAddress,
  ) {}

  /** For password links: throws 401 unless the password is right, 429 beyond the throttle. */
  async unlock(
    link: Link,
    password: unknown,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> {
    if (typeof password !== 'string' || password === '') {
      throw new LinkPasswordRequiredError(link.alias);
    }
    const client = this.address.client(request);
    await this.limiter.take(response, `links.password|ip:${client.key}`, rulesOf(link));
    const right = await verifyPassword(password, link.passwordHash ?? '', { kind: 'link', client });
    if (!right) throw new LinkPasswordWrongError(link.alias);
  }
}

/** The windows of an address and link, and the one of the address over all links. */
function rulesOf(link: Link): WindowRule[] {
  const perLink = limitRow('links.password').anonymous ?? [];
  const overall = limitRow('links.password-all').anonymous ?? [];
  return [...perLink.map((rule) => ({ ...rule, of: link.id })), ...overall];
}
