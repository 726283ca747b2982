import type { IncomingMessage, ServerResponse } from 'node:http';
import { Injectable } from '@nestjs/common';
import { RateLimiter } from '../../auth/rate-limit/rate-limiter';
import { type FurtherLimits, limitRow } from '../../auth/rate-limit/rate-limits';
import { type Client, ClientAddress } from '../../infrastructure/client-address/client-address';
import type { WindowRule } from '../../infrastructure/rate-limit-store/rate-limit-store';
import type { RememberedLink } from '../../stores/links/link';
import { isForeignHash, isLinkPassword, hashLinkPassword } from '../../links/making/link-password';
import { LinkPasswordRequiredError, LinkPasswordWrongError } from './link-password.errors';
import { AppLog } from '../../common/log';
import { LinksRepository } from '../../stores/links/links.repository';

export interface PresentedPassword {
  /** Password from the request. Any value other than a non-empty string means no password. */
  readonly password: unknown;
  readonly client: Client;
  /** Counts the attempt and sets rate-limit headers; throws RateLimitError. */
  readonly count: (key: string, rules: readonly WindowRule[]) => Promise<void>;
}

/** Replaces imported password hashes with native ones when a password is verified. */
@Injectable()
export class LinkPasswordRenewal {
  constructor(
    private readonly links: LinksRepository,
    private readonly log: AppLog,
  ) {}

  /** Runs in the background. After a failure, the next visit with the correct password retries. */
  begin(
    linkId: string,
    { hash, password, client }: { hash: string; password: string; client: Client },
  ): void {
    hashLinkPassword(password, client)
      .then((ours) => this.links.replacePasswordHash(linkId, hash, ours))
      .catch((err: unknown) => this.log.warn('Could not rehash a link password', { err }));
  }
}

/** Verifies link passwords and limits the attempts (docs/contract.md#8.2). */
@Injectable()
export class LinkPasswordVerifier {
  constructor(private readonly renewal: LinkPasswordRenewal) {}

  /** Throws 401 for a wrong password, 429 if the rate limit is exceeded. */
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

/** Describes these limits for routes that take a link's password. */
export const PASSWORD_LIMITS = {
  'links.password': 'requests with a link password, for each client address and link',
  'links.password-all': 'these, for each client address',
} as const satisfies FurtherLimits;

/** Windows per client address and link, and one per client address across all links. */
function passwordRules(link: RememberedLink): WindowRule[] {
  const perLink = limitRow('links.password').anonymous ?? [];
  const overall = limitRow('links.password-all').anonymous ?? [];
  return [...perLink.map((rule) => ({ ...rule, part: link.id })), ...overall];
}

/** Reads the attempt from a request and sets rate-limit headers in the response. */
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
