import { createHmac, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { TokenOptions } from '../../config/options';
import type { Account } from '../account/account';

export const DEVICE_SECONDS = 365 * 24 * 60 * 60;
/** Maximum number of accounts remembered per browser; the most recent sign-ins are kept. */
const MAX_ACCOUNTS = 4;
/** User id, random device id, sign-in time, signature. */
const ENTRY = /^([0-9a-f]{24})\.([A-Za-z0-9_-]{16})\.([0-9a-z]{1,9})\.([A-Za-z0-9_-]{43})$/;

/**
 * Cookie for a browser that has signed in to an account before (OWASP device cookies). The browser
 * gets a separate limit on password attempts, but no other rights. The cookie is bound to the
 * session epoch, so a password reset revokes it.
 */
@Injectable()
export class DeviceCookies {
  private readonly key: Buffer;

  constructor(tokens: TokenOptions) {
    this.key = Buffer.from(hkdfSync('sha256', tokens.secret, '', 'curtail device cookies', 32));
  }

  remember(account: Account, presented: string | null): string {
    // Keeps other accounts' entries without verification, which takes place when they are used.
    const others = parseDeviceEntries(presented).filter(
      (entry) => !entry.startsWith(`${account.id}.`),
    );
    return [this.entry(account, Date.now()), ...others].slice(0, MAX_ACCOUNTS).join('~');
  }

  /** The device id if the cookie was issued to this account, otherwise null. */
  findDevice(account: Account, cookie: string | null): string | null {
    for (const entry of parseDeviceEntries(cookie)) {
      const [, userId, device = '', time = '', signature = ''] = ENTRY.exec(entry) ?? [];
      if (userId !== account.id || parseInt(time, 36) + DEVICE_SECONDS * 1000 <= Date.now())
        continue;
      const right = Buffer.from(this.sign(account, device, time));
      if (timingSafeEqual(right, Buffer.from(signature))) return device;
    }
    return null;
  }

  private entry(account: Account, now: number): string {
    const [device, time] = [randomBytes(12).toString('base64url'), now.toString(36)];
    return [account.id, device, time, this.sign(account, device, time)].join('.');
  }

  private sign(account: Account, device: string, time: string): string {
    const signed = [account.id, account.sessionEpoch, device, time].join('.');
    return createHmac('sha256', this.key).update(signed).digest('base64url');
  }
}

function parseDeviceEntries(cookie: string | null): string[] {
  const entries = (cookie ?? '').split('~', MAX_ACCOUNTS);
  return entries.filter((entry) => ENTRY.test(entry));
}
