import { JwtService } from '@nestjs/jwt';
import { AUDIENCE, ISSUER, TOKEN_VERIFICATION, TokensService } from '../../auth/tokens';
import { QuietLogger } from '../../../test/support/shared/quiet-logger';
import type { Account } from '../account/account';
import { RefreshRefusedError, SessionEndedError } from '../account/accounts.errors';
import type { AccountsRepository } from '../account/accounts.repository';
import type { ClosedAccounts } from '../closing/closed-accounts';
import { DeviceCookies } from './device-cookies';
import type { SignInOrigin } from './session';
import type { LiveToken, Rotation, SessionsRepository } from './sessions.repository';
import { SessionBrowsers, SessionsService } from './sessions.service';

const DAY_MS = 86_400_000;
const SECRET = 'a secret of the unit tests';

interface Stored extends LiveToken {
  readonly userId: string;
  readonly epoch: number;
}

/** Keeps sessions in memory and behaves like the repository. */
class SessionsInMemory {
  readonly sessions = new Map<string, Stored>();

  newId(): string {
    return String(this.sessions.size).padStart(24, '0');
  }

  insert(id: string, account: Account, _methods: unknown, token: LiveToken): Promise<void> {
    this.sessions.set(id, { ...token, userId: account.id, epoch: account.sessionEpoch });
    return Promise.resolve();
  }

  rotate(id: string, account: Account, { spent, now, ...token }: Rotation) {
    return this.replace(id, account, token, this.has(id, account, now, spent));
  }

  carryOver(id: string, account: Account, token: LiveToken) {
    return this.replace(id, account, token, this.sessions.get(id)?.userId === account.id);
  }

  isLive(id: string, account: Account, now: Date, live?: string): Promise<boolean> {
    return Promise.resolve(this.has(id, account, now, live));
  }

  removeOthers(id: string): Promise<void> {
    for (const other of this.sessions.keys()) if (other !== id) this.sessions.delete(other);
    return Promise.resolve();
  }

  remove(id: string): Promise<void> {
    this.sessions.delete(id);
    return Promise.resolve();
  }

  private has(id: string, { id: userId, sessionEpoch }: Account, now: Date, live?: string) {
    const known = this.sessions.get(id);
    const isMeant = known?.userId === userId && known.epoch === sessionEpoch;
    return isMeant && known.expiresAt > now && (live === undefined || known.live === live);
  }

  private replace(id: string, account: Account, token: LiveToken, isKnown: boolean) {
    if (isKnown) void this.insert(id, account, [], token);
    return Promise.resolve(isKnown ? { id, userId: account.id, methods: ['pwd'] } : null);
  }
}

describe('A session', () => {
  let account: Account;
  let stored: SessionsInMemory;
  let sessions: SessionsService;

  beforeEach(() => {
    jest.useFakeTimers({ now: new Date('2026-01-02T03:04:05Z') });
    account = {
      id: 'a'.repeat(24),
      email: 'ada@example.com',
      emailVerified: true,
      sessionEpoch: 0,
      suspended: null,
      deletesAt: null,
    } as Account;
    stored = new SessionsInMemory();
    sessions = new SessionsService(
      {
        findById: (id: string) => Promise.resolve(id === account.id ? account : null),
        noteSignIn: () => Promise.resolve(),
      } as unknown as AccountsRepository,
      stored as unknown as SessionsRepository,
      new TokensService(
        new JwtService({
          secret: SECRET,
          signOptions: { algorithm: 'HS256', issuer: ISSUER, audience: AUDIENCE },
          verifyOptions: TOKEN_VERIFICATION,
        }),
      ),
      new DeviceCookies({ secret: SECRET }),
      new SessionBrowsers({ findCountry: () => null } as never),
      { has: () => false, isLeaving: () => false } as unknown as ClosedAccounts,
      new QuietLogger(),
    );
  });
  afterEach(() => jest.useRealTimers());

  const from = (refreshToken: string | null): SignInOrigin => ({
    client: { address: '192.0.2.1' } as SignInOrigin['client'],
    userAgent: '',
    refreshToken,
    device: null,
  });
  const start = async (refreshToken: string | null = null): Promise<string> =>
    (await sessions.start(account, ['pwd'], from(refreshToken))).refreshToken;
  const refresh = async (token: string): Promise<string> =>
    (await sessions.refresh(from(token))).session?.refreshToken ?? '';

  it('gets a new refresh token at each refresh', async () => {
    const first = await start();
    const second = await refresh(first);
    expect(second).not.toBe(first);
    expect(await refresh(second)).not.toBe(second);
    expect(stored.sessions.size).toBe(1);
  });

  it('ends when a used refresh token is sent again, even if the client has the valid token', async () => {
    const first = await start();
    const live = await refresh(first);
    await expect(refresh(first)).rejects.toThrow(RefreshRefusedError);
    expect(stored.sessions.size).toBe(0);
    await expect(refresh(live)).rejects.toThrow(RefreshRefusedError);
  });

  it('lasts 30 days from its last refresh', async () => {
    const first = await start();
    jest.setSystemTime(Date.now() + 29 * DAY_MS);
    const second = await refresh(first);
    jest.setSystemTime(Date.now() + 30 * DAY_MS);
    await expect(refresh(second)).rejects.toThrow(RefreshRefusedError);
  });

  it.each(['', 'x.y.z'])('is not refreshed with %j, and no other session ends', async (token) => {
    const right = await start();
    await expect(refresh(token)).rejects.toThrow(RefreshRefusedError);
    expect(await refresh(right)).not.toBe('');
  });

  it('replaces the previous session of the same browser', async () => {
    const first = await start();
    await start(first);
    expect(stored.sessions.size).toBe(1);
    await expect(refresh(first)).rejects.toThrow(RefreshRefusedError);
  });

  it("ends with the account's epoch, unless it is moved to the new epoch", async () => {
    const [kept, other] = [await start(), await start()];
    account = { ...account, sessionEpoch: 1 };
    await expect(refresh(other)).rejects.toThrow(RefreshRefusedError);
    const { refreshToken } = await sessions.keepOnly('0'.repeat(24), account, from(kept));
    expect(await refresh(refreshToken)).not.toBe('');
    await stored.remove('0'.repeat(24));
    const again = sessions.keepOnly('0'.repeat(24), account, from(kept));
    await expect(again).rejects.toThrow(SessionEndedError);
  });

  it('is recognised by pages from either token, and both tokens stay valid', async () => {
    const { accessToken, refreshToken } = await sessions.start(account, ['pwd'], from(null));
    const both = { access: accessToken, refresh: refreshToken };
    expect(await sessions.ofBrowser(both, true)).toMatchObject({ userId: account.id });
    const alone = { access: null, refresh: refreshToken };
    expect(await sessions.ofBrowser(alone, true)).toMatchObject({ userId: account.id });
    expect(await refresh(refreshToken)).not.toBe('');
    expect(await sessions.ofBrowser(alone, true)).toBeNull();
    await stored.remove('0'.repeat(24));
    expect(await sessions.ofBrowser(both, true)).toBe('ended');
    expect(await sessions.ofBrowser(both, false)).toMatchObject({ userId: account.id });
  });

  it("of an unverified address is rejected after the address's owner has taken over the account", async () => {
    account = { ...account, emailVerified: false };
    const { accessToken } = await sessions.start(account, ['pwd'], from(null));
    const access = { access: accessToken, refresh: null };
    expect(await sessions.ofBrowser(access, false)).toMatchObject({ emailVerified: false });
    account = { ...account, emailVerified: true, sessionEpoch: 1 };
    expect(await sessions.ofBrowser(access, false)).toBe('ended');
  });

  it('is removed from the browser even while the database is unreachable', async () => {
    const token = await start();
    jest.spyOn(stored, 'remove').mockRejectedValue(new Error('away'));
    expect(await sessions.logOut(token)).toMatchObject({ body: { success: true }, session: null });
  });
});
