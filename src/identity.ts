import { Global, Injectable, Module } from '@nestjs/common';
import { isSuperseded } from './accounts/account';
import { AccountsModule } from './accounts/accounts.module';
import { AccountsRepository } from './accounts/accounts.repository';
import { SessionsService } from './accounts/sessions/sessions.service';
import { ApiKeysModule } from './api-keys/api-keys.module';
import { ApiKeysService } from './api-keys/api-keys.service';
import { Authenticator } from './auth/authenticator';
import type { Principal } from './auth/principal';
import { TokensService } from './auth/tokens';
import { MailModule } from './infrastructure/mail/mail.module';

/** Joins the auth layer port to the modules that know accounts and keys. */
@Injectable()
export class Identity extends Authenticator {
  constructor(
    private readonly accounts: AccountsRepository,
    private readonly keys: ApiKeysService,
    private readonly tokens: TokensService,
    private readonly sessions: SessionsService,
  ) {
    super();
  }

  /** A key counts as long as its owner exists; the owner's state says whether it is verified. */
  async byKey(text: string): Promise<Principal | null> {
    const key = await this.keys.identify(text);
    const owner = key === null ? null : await this.accounts.findById(key.ownerId);
    if (key === null || owner === null) return null;
    return {
      userId: owner.id,
      kind: 'key',
      sessionId: null,
      keyId: key.id,
      scopes: key.scopes,
      emailVerified: owner.emailVerified,
    };
  }

  /**
   * A verified JWT speaks for itself: nothing is read but where its session has to be live
   * (docs/contract.md#12.5, row "Ended session"). An unverified one may be a stranger's whose account the
   * owner of the address has taken over since.
   */
  async byToken(token: string, live: boolean): Promise<Principal | null> {
    const claims = this.tokens.readAccess(token);
    if (claims === null) return null;
    const sessionId = claims.sid ?? null;
    if (live && !(await this.sessions.isLive(sessionId, claims.sub))) return null;
    const session: Principal = {
      userId: claims.sub,
      kind: 'session',
      sessionId,
      scopes: [],
      emailVerified: claims.email_verified,
    };
    if (session.emailVerified) return session;
    const account = await this.accounts.findById(session.userId);
    return account !== null && isSuperseded(account, session) ? null : session;
  }
}

/** Binds the auth layer port; the modules behind it bring their routes along. */
@Global()
@Module({
  imports: [MailModule, AccountsModule, ApiKeysModule],
  providers: [{ provide: Authenticator, useClass: Identity }],
  exports: [Authenticator],
})
export class IdentityModule {}
