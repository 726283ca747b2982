import { type CanActivate, Injectable } from '@nestjs/common';
import { SiteOptions } from '../../config/options';
import { PasswordSignInOffError } from '../account/accounts.errors';

/** Rejects requests with account passwords before their body is read (docs/contract.md#34.5). */
@Injectable()
export class PasswordSignInGuard implements CanActivate {
  constructor(private readonly site: SiteOptions) {}

  canActivate(): boolean {
    if (this.site.passwordSignIn) return true;
    throw new PasswordSignInOffError();
  }
}
