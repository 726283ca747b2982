import { applyDecorators } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { ApiErrors } from '../common/http/api-errors.decorator';
import { Access } from './access.decorator';
import { RateLimit } from './rate-limit/rate-limits';

/**
 * Declares a route of the administration: for admins alone and hidden from everybody else, its row of
 * limits (`read` for GET, `write` for the rest), its place in the API description.
 *
 * @example @Get(':id') @AdminAccess('read')
 */
export const AdminAccess = (what: 'read' | 'write'): MethodDecorator =>
  applyDecorators(
    Access.admin(),
    RateLimit(`admin.${what}`),
    ApiTags('Administration'),
    ApiErrors(404),
  );
