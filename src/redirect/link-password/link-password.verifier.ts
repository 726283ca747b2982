import type { IncomingMessage, ServerResponse } from 'node:http';
import { Injectable, Module } from '@nestjs/common';
import { RateLimiter } from '../../auth/rate-limit/rate-limiter';
import { limitRow } from '../../auth/rate-limit/rate-limits';
import { AddressModule, ClientAddress } from '../../infrastructure/client-address/client-address';
import { verifyPassword } from '../../infrastructure/hashing/password-hash';
import type { WindowRule } from '../../infrastructure/rate-limit-store/rate-limit-store';
import type { Link } from '../../links/link';
import { LinkPasswordRequiredError, LinkPasswordWrongError } from './link-password.errors';

/** Where every password presented for a link is counted and checked (docs/contract.md#8.2). */
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

/** Without controllers, so that modules of fixed paths can import it ahead of the short codes. */
@Module({
  imports: [AddressModule],
  providers: [LinkPasswordVerifier],
  exports: [LinkPasswordVerifier],
})
export class LinkPasswordVerifierModule {}
