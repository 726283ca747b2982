import { applyDecorators } from '@nestjs/common';
import { ApiErrors } from '../common/http/route.decorators';
import { Access } from './access';
import { RateLimit } from './rate-limit/rate-limits';

/** Admin access, rate limit (`read` for GET, otherwise `write`), and a 404 for unknown ids. */
export const AdminAccess = (what: 'read' | 'write'): MethodDecorator =>
  applyDecorators(Access.admin(), RateLimit(`admin.${what}`), ApiErrors(404));
