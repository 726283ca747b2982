import { CanActivate, ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Request } from 'express';
import { NotFoundError } from '../common/errors';
import { findAccessRule } from './access.decorator';
import { callerFromRequest } from './caller';

/** Runs before the rate limit, whose headers would reveal the route (docs/contract.md#24.1). */
@Injectable()
export class AdminGuard implements CanActivate {
  constructor(private readonly reflector: Reflector) {}

  canActivate(context: ExecutionContext): boolean {
    if (!findAccessRule(this.reflector, context)?.admin) return true;
    const { principal } = callerFromRequest(context.switchToHttp().getRequest<Request>());
    if (principal?.kind !== 'session' || !principal.isAdmin) throw new NotFoundError();
    return true;
  }
}
