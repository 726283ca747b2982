import { RateLimiter } from '../../auth/rate-limit/rate-limiter';
import { RateLimitError } from '../../auth/access.errors';
import { LimitMeter } from '../../infrastructure/meters/meters';
import { MemoryRateLimitStore } from '../../infrastructure/rate-limit-store/memory.rate-limit-store';
import { HOUR_MS } from '../../common/time';
import type { Account } from '../account/account';
import { DeviceCookies } from './device-cookies';
import { LoginThrottle } from './login-throttle';

const OWNER = '0123456789abcdef01234567';
const OTHER = 'fedcba9876543210fedcba98';
const account = (id: string, sessionEpoch = 0): Account => ({ id, sessionEpoch }) as Account;
const options = (secret = 'a secret of the unit tests') => ({ secret });

/** Returns the cookie that a sign-in sets if the browser sends the cookie `presented`. */
function signIn(devices: DeviceCookies, who: Account, presented = ''): { value: string } {
  return { value: devices.remember(who, presented || null) };
}

describe('A device cookie', () => {
  const devices = new DeviceCookies(options());

  it('belongs to the account that signed in, and is different for each sign-in', () => {
    const { value } = signIn(devices, account(OWNER));
    const device = devices.findDevice(account(OWNER), value);
    expect(device).toMatch(/^[A-Za-z0-9_-]{16}$/);
    expect(devices.findDevice(account(OTHER), value)).toBeNull();
    const again = signIn(devices, account(OWNER)).value;
    expect(devices.findDevice(account(OWNER), again)).not.toBe(device);
  });

  it('cannot be forged, moved to another account or used after a password reset', () => {
    const { value } = signIn(devices, account(OWNER));
    const [, nonce, time, signature = ''] = value.split('.');
    const forged = signature.replace(/^./, signature.startsWith('A') ? 'B' : 'A');
    const texts = [
      [OWNER, nonce, time, forged].join('.'),
      [OTHER, nonce, time, signature].join('.'),
      [OWNER, nonce, `${time}0`, signature].join('.'),
      [OWNER, nonce, time].join('.'),
      '',
      '~~~',
      'x'.repeat(10_000),
    ];
    for (const text of texts) {
      expect(devices.findDevice(account(OWNER), text)).toBeNull();
      expect(devices.findDevice(account(OTHER), text)).toBeNull();
    }
    expect(devices.findDevice(account(OWNER), null)).toBeNull();
    expect(devices.findDevice(account(OWNER, 1), value)).toBeNull();
    const elsewhere = new DeviceCookies(options('another secret of unit tests'));
    expect(elsewhere.findDevice(account(OWNER), value)).toBeNull();
  });

  it('expires after a year even if the client keeps it', () => {
    const { value } = signIn(devices, account(OWNER));
    const clock = jest.spyOn(Date, 'now');
    try {
      const now = Date.now();
      clock.mockReturnValue(now + 364 * 24 * HOUR_MS);
      expect(devices.findDevice(account(OWNER), value)).not.toBeNull();
      clock.mockReturnValue(now + 366 * 24 * HOUR_MS);
      expect(devices.findDevice(account(OWNER), value)).toBeNull();
    } finally {
      clock.mockRestore();
    }
  });

  it('remembers the four accounts that signed in last', () => {
    const ids = Array.from({ length: 6 }, (_, i) => String(i).repeat(24));
    let cookie = '';
    for (const id of ids) cookie = signIn(devices, account(id), cookie).value;
    const known = ids.filter((id) => devices.findDevice(account(id), cookie) !== null);
    expect(known).toEqual(ids.slice(2));
    const again = signIn(devices, account('2'.repeat(24)), cookie).value;
    expect(again.split('~')).toHaveLength(4);
  });

  it('drops entries with an invalid format', () => {
    const presented = 'junk~"<script>"~x=y';
    expect(signIn(devices, account(OWNER), presented).value.split('~')).toHaveLength(1);
  });
});

describe('LoginThrottle', () => {
  let now: number;
  let throttle: LoginThrottle;
  let devices: DeviceCookies;
  const owner = account(OWNER);

  beforeEach(() => {
    now = Date.UTC(2026, 10, 21);
    const windows = new MemoryRateLimitStore(() => now, { clients: 1024, others: 1024 });
    devices = new DeviceCookies(options());
    throttle = new LoginThrottle(new RateLimiter(windows, new LimitMeter()), devices, options());
  });

  interface Try {
    who?: Account | null;
    email?: string;
    device?: string | null;
    right?: boolean;
  }

  /** Returns `right`, `wrong` or `429`. */
  async function attempt(how: Try = {}): Promise<string> {
    const { who = owner, email = 'owner@example.com', device = null, right = false } = how;
    try {
      const found = await throttle.judge({ email, account: who, device }, () =>
        Promise.resolve(right),
      );
      return found ? 'right' : 'wrong';
    } catch (error) {
      if (error instanceof RateLimitError) return '429';
      throw error;
    }
  }

  async function times(count: number, how: Try): Promise<string[]> {
    const answers: string[] = [];
    for (let i = 0; i < count; i++) answers.push(await attempt(how));
    return answers;
  }

  it('allows 30 wrong passwords an hour, and then rejects even the correct one', async () => {
    expect(new Set(await times(30, {}))).toEqual(new Set(['wrong']));
    expect(await attempt({ right: true })).toBe('429');
    now += HOUR_MS;
    expect(await attempt({ right: true })).toBe('right');
  });

  it('does not count correct passwords', async () => {
    expect(new Set(await times(40, { right: true }))).toEqual(new Set(['right']));
    expect(new Set(await times(30, {}))).toEqual(new Set(['wrong']));
  });

  it('limits each unknown email in the same way', async () => {
    const nobody = { who: null, email: 'nobody@example.com' };
    expect(new Set(await times(30, nobody))).toEqual(new Set(['wrong']));
    expect(await attempt(nobody)).toBe('429');
    expect(await attempt({ who: null, email: 'another@example.com' })).toBe('wrong');
  });

  it('applies the limit to concurrent attempts too', async () => {
    const answers = await Promise.all(Array.from({ length: 50 }, () => attempt()));
    expect(answers.filter((answer) => answer === 'wrong')).toHaveLength(30);
    expect(answers.filter((answer) => answer === '429')).toHaveLength(20);
  });

  it('still accepts the owner’s browser after strangers have used up the attempts', async () => {
    const device = signIn(devices, owner).value;
    await times(30, {});
    expect(await attempt({ right: true })).toBe('429');
    expect(await attempt({ right: true, device })).toBe('right');
    const foreign = signIn(devices, account(OTHER)).value;
    expect(await attempt({ right: true, device: foreign })).toBe('429');
    expect(await attempt({ right: true, device, who: account(OWNER, 1) })).toBe('429');
  });

  it('allows ten wrong passwords an hour from a known browser, then applies the shared limit', async () => {
    const device = signIn(devices, owner).value;
    expect(new Set(await times(40, { device }))).toEqual(new Set(['wrong']));
    expect(await attempt({ device, right: true })).toBe('429');
    const second = signIn(devices, owner).value;
    expect(await attempt({ device: second, right: true })).toBe('right');
  });

  it('does not count a password that could not be compared', async () => {
    const subject = { email: 'owner@example.com', account: owner, device: null };
    const overload = (): Promise<boolean> => Promise.reject(new Error('overloaded'));
    for (let i = 0; i < 40; i++) {
      await expect(throttle.judge(subject, overload)).rejects.toThrow('overloaded');
    }
    expect(await attempt({ right: true })).toBe('right');
  });
});
