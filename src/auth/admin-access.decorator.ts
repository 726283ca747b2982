import { applyDecorators } from '@nestjs/common';
import { ApiErrors } from '../common/http/api-errors.decorator';
import { Access } from './access.decorator';
import { RateLimit } from './rate-limit/rate-limits';

/**
 * Declares a route of the administration, in the API description too: for admins alone and hidden from
 * everybody else, its row of limits (`read` for GET, `write` for the rest), and that an id may be unknown.
 *
 * @example @Get(':id') @AdminAccess('read')
 */
export const AdminAccess = (what: 'read' | 'write'): MethodDecorator =>
  applyDecorators(Access.admin(), RateLimit(`admin.${what}`), ApiErrors(404));
