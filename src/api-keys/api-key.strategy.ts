import { Injectable } from '@nestjs/common';
import { PassportStrategy } from '@nestjs/passport';
import type { Request } from 'express';
import { Strategy } from 'passport';
import { AccountsRepository } from '../accounts/account/accounts.repository';
import { API_KEY_STRATEGY, CredentialRefusal, presentedKey } from '../auth/credential';
import { type Principal, principalFor } from '../auth/access';
import { ApiKeysService, UNKNOWN_KEY } from './api-keys.service';

type Done = (error: unknown, principal?: Principal | null, refusal?: CredentialRefusal) => void;

class BearerKeyStrategy extends Strategy {
  constructor(private readonly verify: (key: string, done: Done) => void) {
    super();
  }

  override authenticate(request: Request): void {
    const key = presentedKey(request);
    if (key === null) {
      this.fail('No API key');
      return;
    }
    this.verify(key, (error, principal, refusal) => {
      if (error) this.error(error);
      else if (principal) this.success(principal);
      else (this as { fail(challenge?: unknown): void }).fail(refusal);
    });
  }
}

const GOING = new CredentialRefusal('The account of this API key is being deleted');
const SUSPENDED = new CredentialRefusal('The account of this API key is suspended');

@Injectable()
export class ApiKeyStrategy extends PassportStrategy(BearerKeyStrategy, API_KEY_STRATEGY) {
  constructor(
    private readonly keys: ApiKeysService,
    private readonly accounts: AccountsRepository,
  ) {
    super();
  }

  /** A key is valid while its owner exists. `emailVerified` is the value of the owner's account. */
  async validate(text: string): Promise<Principal | [null, CredentialRefusal]> {
    const key = await this.keys.identify(text);
    if (typeof key === 'string') return [null, new CredentialRefusal(key)];
    const owner = await this.accounts.findById(key.ownerId);
    if (owner === null) return [null, new CredentialRefusal(UNKNOWN_KEY)];
    if (owner.deletesAt !== null) return [null, GOING];
    if (owner.suspended !== null) return [null, SUSPENDED];
    return principalFor({
      userId: owner.id,
      kind: 'key',
      sessionId: null,
      keyId: key.id,
      scopes: key.scopes,
      emailVerified: owner.emailVerified,
    });
  }
}
