import { Injectable } from '@nestjs/common';
import type { Account } from '../account';
import { AccountsRepository } from '../accounts.repository';
import { digestOf, newRefreshId, sessionOf } from './refresh-id';
import { REFRESH_SECONDS, type Session, type SignInMethod, type TokenPair } from './session';
import { RefreshRefusedError } from './sessions.errors';
import { SessionsRepository } from './sessions.repository';
import { TokensService } from './tokens';

/** Sign-ins and their chains of single-use refresh tokens (contract 12.5). */
@Injectable()
export class SessionsService {
  constructor(
    private readonly accounts: AccountsRepository,
    private readonly repository: SessionsRepository,
    private readonly tokens: TokensService,
  ) {}

  /** Signs the account in. */
  async start(account: Account, methods: readonly SignInMethod[]): Promise<TokenPair> {
    const id = this.repository.newId();
    const jti = newRefreshId(id);
    await this.repository.insert(id, account, methods, digestOf(jti), refreshEnd());
    return this.pair(account, { id, userId: account.id, methods }, jti);
  }

  /**
   * Replaces a refresh token by a new pair, or throws RefreshRefusedError. A token of ours that is
   * not its session's live one was used before: that ends the session, whoever holds the live one.
   */
  async refresh(refreshToken: string): Promise<TokenPair> {
    const claims = this.tokens.readRefresh(refreshToken);
    const id = claims === null ? null : sessionOf(claims.jti);
    if (claims === null || id === null) throw new RefreshRefusedError();
    const account = await this.accounts.findById(claims.sub);
    const pair = account === null ? null : await this.rotate(id, account, claims.jti);
    if (pair !== null) return pair;
    await this.repository.remove(id);
    throw new RefreshRefusedError();
  }

  /** Ends the session that a refresh token belongs to; anything else is passed over. */
  async end(refreshToken: string): Promise<void> {
    const claims = this.tokens.readRefresh(refreshToken);
    const id = claims === null ? null : sessionOf(claims.jti);
    if (id !== null) await this.repository.remove(id);
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
    return session === null ? null : this.pair(account, session, next);
  }

  private pair(account: Account, session: Session, jti: string): TokenPair {
    return {
      accessToken: this.tokens.access(account, session),
      refreshToken: this.tokens.refresh(account, session, jti),
    };
  }
}

function refreshEnd(): Date {
  return new Date(Date.now() + REFRESH_SECONDS * 1000);
}
