import { Global, Module } from '@nestjs/common';
import { Authenticator } from './access/authenticator';
import type { Principal } from './access/principal';

/** Knows nobody: every credential is bad. */
class NobodyAuthenticator extends Authenticator {
  byKey(): Promise<Principal | null> {
    return Promise.resolve(null);
  }

  byToken(): Promise<Principal | null> {
    return Promise.resolve(null);
  }
}

/** Joins the access floor's port to the rooms that know accounts and keys. */
@Global()
@Module({
  providers: [{ provide: Authenticator, useClass: NobodyAuthenticator }],
  exports: [Authenticator],
})
export class IdentityModule {}
