import { applyDecorators } from '@nestjs/common';
import { ApiConsumes, ApiOkResponse, ApiQuery } from '@nestjs/swagger';

/** Describes the password of statistics and exports, in a form or in the query string. */
export function StatsFields(): MethodDecorator {
  return applyDecorators(
    ApiConsumes('application/x-www-form-urlencoded', 'multipart/form-data'),
    ApiQuery({ name: 'password', required: false, description: 'The password of the link' }),
  );
}

/** Describes the v0 object; its keys are in the type LegacyStats. */
export function ApiStatsResponse(): MethodDecorator {
  return ApiOkResponse({
    description: 'The v0 statistics; a page when `Accept` contains text/html',
    content: {
      'application/json': { schema: { type: 'object', additionalProperties: true } },
      'text/html': { schema: { type: 'string' } },
    },
  });
}
