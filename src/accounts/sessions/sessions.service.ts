import { createHash, randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { REFRESH_SECONDS, type TokenPair, TokensService } from '../../auth/tokens';
import { AppLog } from '../../common/log';
import type { Account } from '../account';
import type { DoneResponse, TokenResponse } from '../account.response';
import { RefreshRefusedError } from '../accounts.errors';
import { AccountsRepository } from '../accounts.repository';
import { DeviceCookies } from './device-cookies';
import { type OpenedSession, SessionAnswer, type SignInMethod } from './session';
import { SessionsRepository } from './sessions.repository';

const FORM = /^([0-9a-f]{24})\.[A-Za-z0-9_-]{22}$/;

/** A `jti`: the session's id, so that a spent token leads to it, and 16 random bytes. */
export function newRefreshId(sessionId: string): string {
  return `${sessionId}.${randomBytes(16).toString('base64url')}`;
}

/** The session that a `jti` belongs to, null when it has another form. */
export function sessionOf(jti: string): string | null {
  return FORM.exec(jti)?.[1] ?? null;
}

/** What is stored of a `jti`. */
export function digestOf(jti: string): string {
  return createHash('sha256').update(jti).digest('hex');
}

/** Sign-ins and their chains of single-use refresh tokens (docs/contract.md#12.5). */
@Injectable()
export class SessionsService {
  constructor(
    private readonly accounts: AccountsRepository,
    private readonly repository: SessionsRepository,
    private readonly tokens: TokensService,
    private readonly devices: DeviceCookies,
    private readonly log: AppLog,
  ) {}

  /**
   * Signs the account in, and remembers the browser.
   *
   * @param device what the browser presents of earlier sign-ins
   */
  async start(
    account: Account,
    methods: readonly SignInMethod[],
    device: string | null,
  ): Promise<OpenedSession> {
    const id = this.repository.newId();
    const jti = newRefreshId(id);
    await this.repository.insert(id, account, methods, digestOf(jti), refreshEnd());
    const pair = this.tokens.pair(account, { id, methods }, jti);
    return { ...pair, device: this.devices.remember(account, device) };
  }

  /**
   * Replaces a refresh token by a new pair, or throws RefreshRefusedError. A token of ours that is
   * not its session's live one was used before: that ends the session, whoever holds the live one.
   */
  async refresh(refreshToken: string | null): Promise<SessionAnswer<TokenResponse>> {
    const claims = refreshToken === null ? null : this.tokens.readRefresh(refreshToken);
    const id = claims === null ? null : sessionOf(claims.jti);
    if (claims === null || id === null) throw new RefreshRefusedError();
    const account = await this.accounts.findById(claims.sub);
    const pair = account === null ? null : await this.rotate(id, account, claims.jti);
    if (pair !== null) {
      return new SessionAnswer({ access_token: pair.accessToken }, { ...pair, device: null });
    }
    await this.repository.remove(id);
    throw new RefreshRefusedError();
  }

  /** Ends the session that a refresh token belongs to. Never fails: its browser forgets it anyway. */
  async logOut(refreshToken: string | null): Promise<SessionAnswer<DoneResponse>> {
    const claims = refreshToken === null ? null : this.tokens.readRefresh(refreshToken);
    const id = claims === null ? null : sessionOf(claims.jti);
    try {
      if (id !== null) await this.repository.remove(id);
    } catch (error) {
      this.log.error('A session could not be ended at its logout', { err: error });
    }
    return new SessionAnswer({ success: true }, null);
  }

  /**
   * False once the session has ended, by a logout, a replay or its time, and for one that began
   * before all sessions of the account were ended.
   */
  async isLive(id: string | null, userId: string): Promise<boolean> {
    if (id === null) return false;
    const account = await this.accounts.findById(userId);
    return account !== null && this.repository.isLive(id, account, new Date());
  }

  async endAllOf(userId: string): Promise<void> {
    await this.repository.removeAllOf(userId);
  }

  private async rotate(id: string, account: Account, spent: string): Promise<TokenPair | null> {
    const next = newRefreshId(id);
    const session = await this.repository.rotate(id, account, {
      spent: digestOf(spent),
      next: digestOf(next),
      now: new Date(),
      expiresAt: refreshEnd(),
    });
    return session === null ? null : this.tokens.pair(account, session, next);
  }
}

function refreshEnd(): Date {
  return new Date(Date.now() + REFRESH_SECONDS * 1000);
}
