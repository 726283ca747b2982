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
 * Responds to HEAD with 405. Express would route HEAD to GET, which changes data.
 * @param others other methods allowed on the path
 */
export function ChangesOnGet(...others: string[]): MethodDecorator {
  return UseGuards(new HeadGuard(['GET', ...others].join(', ')));
}
