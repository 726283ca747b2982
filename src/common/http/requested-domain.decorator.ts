import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { requestedDomain } from '../requested-domain';

export const RequestedDomainId = createParamDecorator(
  (_: unknown, context: ExecutionContext): string | null =>
    requestedDomain(context.switchToHttp().getRequest<object>())?.id ?? null,
);
