import { createHash, randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import {
  type AccessClaims,
  REFRESH_SECONDS,
  type RefreshClaims,
  type TokenPair,
  TokensService,
} from '../../auth/tokens';
import { AppLog } from '../../common/log';
import { type Principal, principalFor } from '../../auth/access';
import { CountryLookup } from '../../infrastructure/geoip/country-lookup';
import { parseUserAgent } from '../../infrastructure/user-agent/user-agent';
import { type Account, isAdmin, isGoing, isLeaving, isSuperseded } from '../account/account';
import type { DoneResponse, TokenResponse } from '../account/account.response';
import {
  AccountGoingError,
  AccountSuspendedError,
  RefreshRefusedError,
  SessionEndedError,
  UnknownSessionError,
} from '../account/accounts.errors';
import { AccountsRepository } from '../account/accounts.repository';
import { ClosedAccounts } from '../closing/closed-accounts';
import { DeviceCookies } from './device-cookies';
import {
  type OpenedSession,
  SessionAnswer,
  type SessionBrowser,
  type SignInMethod,
  type SignInOrigin,
} from './session';
import { type SessionsResponse, toSessionsResponse } from './session.response';
import { type LiveToken, SessionsRepository } from './sessions.repository';

const JTI_FORM = /^([0-9a-f]{24})\.[A-Za-z0-9_-]{22}$/;

/** The `jti` contains the session id, so that a used token still identifies the session. */
export function newRefreshId(sessionId: string): string {
  return `${sessionId}.${randomBytes(16).toString('base64url')}`;
}

/** The database stores only this digest of the `jti`. */
export function jtiDigest(jti: string): string {
  return createHash('sha256').update(jti).digest('hex');
}

@Injectable()
export class SessionBrowsers {
  constructor(private readonly countries: CountryLookup) {}

  toSessionBrowser({ client, userAgent }: SignInOrigin): SessionBrowser {
    const { browser, os } = parseUserAgent(userAgent);
    return { browser, os, country: this.countries.findCountry(client.address) };
  }
}

@Injectable()
export class SessionsService {
  constructor(
    private readonly accounts: AccountsRepository,
    private readonly repository: SessionsRepository,
    private readonly tokens: TokensService,
    private readonly devices: DeviceCookies,
    private readonly browsers: SessionBrowsers,
    private readonly closed: ClosedAccounts,
    private readonly log: AppLog,
  ) {}

  /** Ends the browser's previous session. @throws AccountSuspendedError, AccountGoingError */
  async start(
    account: Account,
    methods: readonly SignInMethod[],
    origin: SignInOrigin,
  ): Promise<OpenedSession> {
    if (isGoing(account)) throw new AccountGoingError();
    if (account.suspended !== null) throw new AccountSuspendedError();
    const id = this.repository.newId();
    const jti = newRefreshId(id);
    await this.repository.insert(id, account, methods, this.liveToken(jti, origin));
    await this.accounts.noteSignIn(account.id, new Date());
    const earlier = this.presented(origin.refreshToken);
    if (earlier !== null) await this.repository.remove(earlier.id);
    const pair = this.tokens.pair(account, { id, methods }, jti);
    return { ...pair, device: this.devices.remember(account, origin.device) };
  }

  /** Moves a session to the new epoch, which ends all others. @throws SessionEndedError */
  async keepOnly(id: string, account: Account, origin: SignInOrigin): Promise<OpenedSession> {
    const jti = newRefreshId(id);
    const session = await this.repository.carryOver(id, account, this.liveToken(jti, origin));
    await this.repository.removeOthers(id, account.id);
    if (session === null) throw new SessionEndedError();
    const pair = this.tokens.pair(account, session, jti);
    return { ...pair, device: this.devices.remember(account, origin.device) };
  }

  async list({ userId, sessionId }: Principal): Promise<SessionsResponse> {
    const account = await this.accounts.findById(userId);
    const sessions =
      account === null ? [] : await this.repository.findLiveSessions(account, new Date());
    return toSessionsResponse(sessions, sessionId);
  }

  async end(
    id: string,
    { userId, sessionId }: Principal,
  ): Promise<DoneResponse | SessionAnswer<DoneResponse>> {
    const account = await this.accounts.findById(userId);
    if (account === null || !(await this.repository.removeOwn(id, account, new Date()))) {
      throw new UnknownSessionError();
    }
    return id === sessionId ? new SessionAnswer({ success: true }, null) : { success: true };
  }

  async endOthers({ userId, sessionId }: Principal): Promise<DoneResponse> {
    if (sessionId === null) throw new SessionEndedError();
    await this.repository.removeOthers(sessionId, userId);
    return { success: true };
  }

  /** Ends the session if a token is reused. @throws RefreshRefusedError */
  async refresh(origin: SignInOrigin): Promise<SessionAnswer<TokenResponse>> {
    const presented = this.presented(origin.refreshToken);
    if (presented === null) throw new RefreshRefusedError();
    const { id, claims } = presented;
    const account = await this.accounts.findById(claims.sub);
    const pair = account === null ? null : await this.rotate(id, account, claims.jti, origin);
    if (pair !== null) {
      return new SessionAnswer({ access_token: pair.accessToken }, { ...pair, device: null });
    }
    await this.repository.remove(id);
    throw new RefreshRefusedError();
  }

  /** Never throws, because the browser must always drop its cookies. */
  async logOut(refreshToken: string | null): Promise<SessionAnswer<DoneResponse>> {
    const presented = this.presented(refreshToken);
    try {
      if (presented !== null) await this.repository.remove(presented.id);
    } catch (error) {
      this.log.error('Could not end a session on sign-out', { err: error });
    }
    return new SessionAnswer({ success: true }, null);
  }

  /** Returns false if the session has ended or expired. */
  async isLive(id: string | null, userId: string): Promise<boolean> {
    return (await this.liveAccount(id, userId)) !== null;
  }

  /**
   * Tokens for a verified account require no database read unless `live` requires an active session
   * (docs/contract.md#12.5). Tokens for other accounts require a read, because the email's owner
   * may have taken over the account.
   */
  async findPrincipal(claims: AccessClaims, live: boolean): Promise<Principal | null> {
    const { sub: userId, sid: sessionId, email, email_verified: emailVerified } = claims;
    if (this.closed.has(userId)) return null;
    const known = live ? await this.liveAccount(sessionId, userId) : undefined;
    if (known === null) return null;
    const session = principalFor({
      userId,
      kind: 'session',
      sessionId,
      scopes: [],
      email,
      emailVerified,
      isLeaving: this.closed.isLeaving(userId),
      ...(known && { isAdmin: isAdmin(known) }),
    });
    if (emailVerified) return session;
    const account = known ?? (await this.accounts.findById(userId));
    return account !== null && isSuperseded(account, session) ? null : session;
  }

  /**
   * Uses the access token if there is one. Otherwise, uses the refresh token, which stays valid
   * because two tabs may load concurrently. Returns `ended` if the access token is valid but its
   * session has ended.
   */
  async ofBrowser(
    { access, refresh }: { access: string | null; refresh: string | null },
    live: boolean,
  ): Promise<Principal | 'ended' | null> {
    const claims = access === null ? null : this.tokens.readAccess(access);
    const known = claims === null ? null : await this.findPrincipal(claims, live);
    const principal = known ?? (await this.ofRefreshToken(refresh));
    return principal ?? (claims === null ? null : 'ended');
  }

  private async ofRefreshToken(token: string | null): Promise<Principal | null> {
    const presented = this.presented(token);
    if (presented === null) return null;
    const { id, claims } = presented;
    const account = await this.accounts.findById(claims.sub);
    if (account === null) return null;
    const isLive = await this.repository.isLive(id, account, new Date(), jtiDigest(claims.jti));
    if (!isLive) return null;
    const { id: userId, email, emailVerified } = account;
    const session = { kind: 'session', sessionId: id, scopes: [] } as const;
    const leaving = isLeaving(account);
    return principalFor({ userId, ...session, email, emailVerified, isLeaving: leaving });
  }

  async endAllSessions(userId: string): Promise<void> {
    await this.repository.removeByAccount(userId);
  }

  /** Returns null if the session has ended. */
  private async liveAccount(id: string | null, userId: string): Promise<Account | null> {
    const account = id === null ? null : await this.accounts.findById(userId);
    if (id === null || account === null) return null;
    return (await this.repository.isLive(id, account, new Date())) ? account : null;
  }

  private async rotate(
    id: string,
    account: Account,
    spent: string,
    origin: SignInOrigin,
  ): Promise<TokenPair | null> {
    const next = newRefreshId(id);
    const session = await this.repository.rotate(id, account, {
      spent: jtiDigest(spent),
      now: new Date(),
      ...this.liveToken(next, origin),
    });
    return session === null ? null : this.tokens.pair(account, session, next);
  }

  /** Returns null unless the text is an authentic refresh token. */
  private presented(token: string | null): { claims: RefreshClaims; id: string } | null {
    const claims = token === null ? null : this.tokens.readRefresh(token);
    const id = claims === null ? null : (JTI_FORM.exec(claims.jti)?.[1] ?? null);
    return claims === null || id === null ? null : { claims, id };
  }

  private liveToken(jti: string, origin: SignInOrigin): LiveToken {
    const expiresAt = new Date(Date.now() + REFRESH_SECONDS * 1000);
    return { live: jtiDigest(jti), expiresAt, seen: this.browsers.toSessionBrowser(origin) };
  }
}
