import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { askedDomain } from '../asked-domain';

/** The id of the custom domain that the request asks, null where that is for BASE_URL's host. */
export const AskedDomainId = createParamDecorator(
  (_: unknown, context: ExecutionContext): string | null =>
    askedDomain(context.switchToHttp().getRequest<object>())?.id ?? null,
);
