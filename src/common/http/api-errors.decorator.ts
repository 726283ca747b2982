import { ApiProperty, ApiPropertyOptional, ApiResponse } from '@nestjs/swagger';

/** Error body of docs/contract.md#2, for the API description. */
export class ErrorResponse {
  @ApiProperty() error!: string;
  @ApiProperty() code!: string;
  @ApiPropertyOptional() field?: string;
  @ApiPropertyOptional({ description: 'Whatever helps, depending on the code' }) details?: object;
  @ApiPropertyOptional() hint?: string;
}

const MEANINGS: Record<number, string> = {
  400: 'Against a rule (validation_error)',
  401: 'Credential missing or bad (authentication_error), or a link password is',
  403: 'Not allowed (forbidden, email_not_verified)',
  404: 'Unknown or hidden (not_found)',
  405: 'Other method needed (method_not_allowed)',
  409: 'Taken (conflict)',
  410: 'Closed (gone)',
  413: 'Body over 1048576 bytes (payload_too_large)',
  422: 'Shape (validation_error)',
  429: 'Limit passed (rate_limit_exceeded)',
  500: 'Unexpected failure (internal_error)',
  503: 'Database unreachable (internal_error) or part not set up (not_configured)',
};

/** What is declared of a handler or controller; Swagger would write a second declaration after it. */
const declared = new WeakMap<object, Set<number>>();

/**
 * Declares a route's real error answers; 500 and 503 belong to every route. May stand beside
 * decorators that declare some of them too.
 */
export function ApiErrors(...statuses: number[]): MethodDecorator & ClassDecorator {
  return (target: object, key?: string | symbol, descriptor?: PropertyDescriptor) => {
    const described = (descriptor?.value ?? target) as object;
    const known = declared.get(described) ?? new Set<number>();
    declared.set(described, known);
    for (const status of new Set([...statuses, 500, 503])) {
      if (known.has(status)) continue;
      known.add(status);
      const declare = ApiResponse({ status, description: MEANINGS[status], type: ErrorResponse });
      if (key !== undefined && descriptor !== undefined) declare(target, key, descriptor);
      else declare(target as new () => object);
    }
  };
}
