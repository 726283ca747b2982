import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { isOwnForm, isSafe } from '../../auth/cookies';
import { HttpOptions } from '../../config/options';
import { ForeignFormError } from '../account/accounts.errors';

/** Rejects forms sent from other sites, even without a session (docs/contract.md#18.2). */
@Injectable()
export class OwnFormGuard implements CanActivate {
  constructor(private readonly http: HttpOptions) {}

  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<Request>();
    if (isSafe(request) || isOwnForm(request, this.http)) return true;
    throw new ForeignFormError(this.http.baseUrl);
  }
}
