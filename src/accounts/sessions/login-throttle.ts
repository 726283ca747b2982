import { createHmac, hkdfSync } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { limitRow } from '../../auth/rate-limit/rate-limits';
import { type Counted, RateLimiter, RateLimitError } from '../../auth/rate-limit/rate-limiter';
import { TokenOptions } from '../../config/options';
import type { Account } from '../account';
import { DeviceCookies } from './device-cookies';

/** The email that is tried, as it was typed, normalised, and the account that has it. */
export interface LoginSubject {
  readonly email: string;
  readonly account: Account | null;
  /** Value of the presented device cookie. */
  readonly device: string | null;
}

/**
 * Wrong passwords per account, whoever tries them (docs/contract.md#4.2). A browser that has signed in to
 * the account before has tries of its own: strangers cannot lock the owner out of it. When it has
 * used them up it counts as a stranger.
 *
 * An email without an account is counted like one with: the answer must not tell them apart.
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
   * Answers what the comparison finds, or throws RateLimitError before it. A try is taken ahead, so
   * that concurrent guesses share the tries, and given back unless the password was judged wrong.
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
    // Emails are told apart by a digest: windows are kept in Redis, too.
    const digest = createHmac('sha256', this.key).update(email).digest('base64url');
    return this.countTry('auth.login-account', `email:${digest}`);
  }

  private countTry(row: 'auth.login-account' | 'auth.login-device', key: string): Promise<Counted> {
    return this.limiter.count(`${row}|${key}`, limitRow(row).authenticated ?? []);
  }
}
