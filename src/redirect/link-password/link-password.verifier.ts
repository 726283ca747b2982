import type { IncomingMessage, ServerResponse } from 'node:http';
import { Injectable, Module } from '@nestjs/common';
import { RateLimiter } from '../../auth/rate-limit/rate-limiter';
import { limitRow } from '../../auth/rate-limit/rate-limits';
import {
  AddressModule,
  type Client,
  ClientAddress,
} from '../../infrastructure/client-address/client-address';
import type { WindowRule } from '../../infrastructure/rate-limit-store/rate-limit-store';
import type { RememberedLink } from '../../stores/links/link';
import { LinkStoreModule } from '../../stores/links/link-store.module';
import { isForeignHash, isLinkPassword } from '../../links/link-password';
import { LinkPasswordRenewal } from './link-password-renewal';
import { LinkPasswordRequiredError, LinkPasswordWrongError } from './link-password.errors';

/** The password of a link as a visitor presents it. */
export interface PresentedPassword {
  /** Anything but a text that is not empty is no password. */
  readonly password: unknown;
  readonly client: Client;
  /** Counts the attempt and tells the client how many are left; throws RateLimitError. */
  readonly count: (key: string, rules: readonly WindowRule[]) => Promise<void>;
}

/** Where every password presented for a link is counted and checked (docs/contract.md#8.2). */
@Injectable()
export class LinkPasswordVerifier {
  constructor(private readonly renewal: LinkPasswordRenewal) {}

  /** For password links: throws 401 unless the password is right, 429 beyond the throttle. */
  async verify(
    link: RememberedLink,
    { password, client, count }: PresentedPassword,
  ): Promise<void> {
    if (typeof password !== 'string' || password === '') {
      throw new LinkPasswordRequiredError(link);
    }
    await count(`links.password|ip:${client.key}`, passwordRules(link));
    const hash = link.passwordHash ?? '';
    if (!(await isLinkPassword(password, hash, client))) throw new LinkPasswordWrongError(link);
    if (isForeignHash(hash)) this.renewal.begin(link.id, { hash, password, client });
  }
}

/** The windows of an address and link, and the one of the address over all links. */
function passwordRules(link: RememberedLink): WindowRule[] {
  const perLink = limitRow('links.password').anonymous ?? [];
  const overall = limitRow('links.password-all').anonymous ?? [];
  return [...perLink.map((rule) => ({ ...rule, part: link.id })), ...overall];
}

/** Reads off a request who presents a password, and tells in its response how many tries are left. */
@Injectable()
export class LinkPasswordAttempts {
  constructor(
    private readonly limiter: RateLimiter,
    private readonly address: ClientAddress,
  ) {}

  presented(
    password: unknown,
    request: IncomingMessage,
    response: ServerResponse,
  ): PresentedPassword {
    return {
      password,
      client: this.address.client(request),
      count: (key, rules) => this.limiter.countRequest(response, key, rules),
    };
  }
}

/** Without controllers, for all who ask for the password of a link. */
@Module({
  imports: [AddressModule, LinkStoreModule],
  providers: [LinkPasswordAttempts, LinkPasswordRenewal, LinkPasswordVerifier],
  exports: [LinkPasswordAttempts, LinkPasswordVerifier],
})
export class LinkPasswordVerifierModule {}
