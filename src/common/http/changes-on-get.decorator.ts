import { type CanActivate, type ExecutionContext, UseGuards } from '@nestjs/common';
import type { Request } from 'express';
import { MethodNotAllowedError } from '../errors';

class HeadGuard implements CanActivate {
  constructor(private readonly allow: string) {}

  canActivate(context: ExecutionContext): boolean {
    const { method } = context.switchToHttp().getRequest<Request>();
    if (method === 'HEAD') throw new MethodNotAllowedError(this.allow);
    return true;
  }
}

/**
 * For a GET that changes something. Express answers HEAD with the handler of GET, and HEAD must
 * change nothing (docs/contract.md#2): programs send it to see what is there. It is 405 here.
 *
 * @param others what else may be sent to the path
 */
export function ChangesOnGet(...others: string[]): MethodDecorator {
  return UseGuards(new HeadGuard(['GET', ...others].join(', ')));
}
