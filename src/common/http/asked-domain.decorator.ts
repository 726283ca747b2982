import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { askedDomain } from '../asked-domain';

export const AskedDomainId = createParamDecorator(
  (_: unknown, context: ExecutionContext): string | null =>
    askedDomain(context.switchToHttp().getRequest<object>())?.id ?? null,
);
