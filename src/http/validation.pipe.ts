import { Injectable, ValidationError, ValidationPipe } from '@nestjs/common';
import { ShapeError, ShapeProblem } from '../core/errors';
import { MEMBERS } from './validators';

/**
 * The door: DTO classes state shapes, a violation is 422 with the body of contract 2.1. Unknown
 * fields are dropped; nothing is coerced. A body that is no object is a problem of `input`.
 */
@Injectable()
export class ShapePipe extends ValidationPipe {
  constructor() {
    super({
      transform: true,
      whitelist: true,
      stopAtFirstError: true,
      forbidUnknownValues: false,
      validationError: { target: false, value: false },
      exceptionFactory: (errors) => new ShapeError(errors.flatMap((e) => problems(e, ''))),
    });
  }

  override transform(value: unknown, metadata: Parameters<ValidationPipe['transform']>[1]) {
    const isDto = metadata.metatype !== undefined && metadata.metatype !== Object;
    if (metadata.type === 'body' && isDto && !isObject(value)) {
      throw ShapeError.of('input', 'a JSON object is needed (Content-Type: application/json)');
    }
    return super.transform(value, metadata) as Promise<unknown>;
  }
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function problems(error: ValidationError, prefix: string): ShapeProblem[] {
  const field = prefix + error.property;
  const own = Object.entries(error.constraints ?? {}).slice(0, 1);
  return [
    ...own.flatMap(([name, message]) =>
      name === MEMBERS
        ? memberProblems(message, field)
        : [{ field, error: withoutName(message, error.property) }],
    ),
    ...(error.children ?? []).flatMap((child) => problems(child, `${field}.`)),
  ];
}

/** One problem for each member at fault: `0,2:must be …`. */
function memberProblems(message: string, field: string): ShapeProblem[] {
  const colon = message.indexOf(':');
  const indexes = message.slice(0, colon).split(',');
  return indexes.map((i) => ({ field: `${field}.${i}`, error: message.slice(colon + 1) }));
}

/** class-validator starts its messages with the property; the body names it already. */
function withoutName(message: string, property: string): string {
  return message.startsWith(`${property} `) ? message.slice(property.length + 1) : message;
}
