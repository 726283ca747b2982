import { applyDecorators, Header } from '@nestjs/common';
import { ApiOkResponse } from '@nestjs/swagger';
import { PAGE_POLICY } from './page';

/**
 * Says that a route answers with a page of ours: the handler returns its markup as a string.
 *
 * @param description what the page shows, for the API description
 */
export function PageResponse(description: string): MethodDecorator {
  return applyDecorators(
    Header('Content-Type', 'text/html; charset=utf-8'),
    Header('Content-Security-Policy', PAGE_POLICY),
    Header('Cache-Control', 'no-store'),
    ApiOkResponse({ description, content: { 'text/html': { schema: { type: 'string' } } } }),
  );
}
