import { applyDecorators } from '@nestjs/common';
import { ApiResponse } from '@nestjs/swagger';

const MEANINGS: Record<number, string> = {
  400: 'Against a rule: `{"<Key>": "<text>"}`, or a page',
  403: 'Destination on the list of the operator: `{"<Key>": "<text>"}`, or a page',
  404: 'Unknown code or private statistics: `{"UrlError": "<text>"}`, or a page',
  413: 'Body over 1048576 bytes',
  429: 'Limit passed',
  503: 'Too much is asked for at once, or the database is unreachable',
};

/** Declares a v0 route's error answers for the API description; their bodies are keyed by error. */
export function LegacyFailures(...statuses: number[]): MethodDecorator {
  return applyDecorators(
    ...statuses.map((status) => ApiResponse({ status, description: MEANINGS[status] })),
  );
}
