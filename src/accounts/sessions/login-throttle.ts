import { createHmac, hkdfSync } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { RateLimitError } from '../../auth/access.errors';
import { type FurtherLimits, limitRow } from '../../auth/rate-limit/rate-limits';
import { type Counted, RateLimiter } from '../../auth/rate-limit/rate-limiter';
import { TokenOptions } from '../../config/options';
import type { Account } from '../account/account';
import { DeviceCookies } from './device-cookies';

/** Describes these limits on routes with an account password. */
export const LOGIN_LIMITS = {
  'auth.login-account': 'wrong passwords of an account',
  'auth.login-device':
    'wrong passwords of an account from a browser that has signed in to it before',
} as const satisfies FurtherLimits;

export interface LoginSubject {
  readonly email: string;
  readonly account: Account | null;
  readonly device: string | null;
}

/**
 * Limits wrong passwords per account (docs/contract.md#4.2). A remembered browser has a separate
 * limit, so that strangers cannot lock out the owner. Emails without an account are limited, too.
 */
@Injectable()
export class LoginThrottle {
  private readonly key: Buffer;

  constructor(
    private readonly limiter: RateLimiter,
    private readonly devices: DeviceCookies,
    tokens: TokenOptions,
  ) {
    this.key = Buffer.from(hkdfSync('sha256', tokens.secret, '', 'curtail login throttle', 32));
  }

  /**
   * Counts the attempt first, so concurrent guesses cannot exceed the limit. @throws RateLimitError
   */
  async judge(subject: LoginSubject, compare: () => Promise<boolean>): Promise<boolean> {
    const taken = await this.takeTry(subject);
    let wrong = false;
    try {
      wrong = !(await compare());
      return !wrong;
    } finally {
      if (!wrong) await this.limiter.giveBack(taken);
    }
  }

  private async takeTry({ email, account, device }: LoginSubject): Promise<Counted> {
    const known = account === null ? null : this.devices.findDevice(account, device);
    if (known !== null) {
      try {
        return await this.countTry('auth.login-device', `device:${known}`);
      } catch (error) {
        if (!(error instanceof RateLimitError)) throw error;
      }
    }
    // Counters may be in Redis, which must not contain emails.
    const digest = createHmac('sha256', this.key).update(email).digest('base64url');
    return this.countTry('auth.login-account', `email:${digest}`);
  }

  private countTry(row: 'auth.login-account' | 'auth.login-device', key: string): Promise<Counted> {
    return this.limiter.count(`${row}|${key}`, limitRow(row).authenticated ?? []);
  }
}
