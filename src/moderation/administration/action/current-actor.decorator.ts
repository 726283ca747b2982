import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';
import type { AuditActor } from '../../../audit-trail/audit-entry';
import { callerFromRequest } from '../../../auth/access';

/** Injects the request's admin, in the form that the audit trail stores. */
export const CurrentActor = createParamDecorator((_: unknown, context: ExecutionContext) => {
  const request = context.switchToHttp().getRequest<Request>();
  const { userId } = callerFromRequest(request).demandPrincipal();
  return { id: userId, via: 'app' } satisfies AuditActor;
});
