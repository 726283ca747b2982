import { Injectable, type Type, ValidationError, ValidationPipe } from '@nestjs/common';
import { getMetadataStorage } from 'class-validator';
import { UnprocessableError, FieldProblem } from '../errors';
import { refuseMisnamed, refuseMisplaced } from './field-names';
import { CHECKED_NAMES, MEMBERS, MISPLACED_NAMES } from './validators';

/**
 * Rejects likely typos, drops other unknown fields, and converts no values (docs/contract.md#2.1).
 */
@Injectable()
export class RequestValidationPipe extends ValidationPipe {
  private readonly fields = new Map<Type, ReadonlySet<string>>();

  constructor() {
    super({
      transform: true,
      whitelist: true,
      stopAtFirstError: true,
      forbidUnknownValues: false,
      validationError: { target: false },
      exceptionFactory: (errors) => new UnprocessableError(errors.flatMap((e) => problems(e, ''))),
    });
  }

  override transform(value: unknown, metadata: Parameters<ValidationPipe['transform']>[1]) {
    const isDto = metadata.metatype !== undefined && metadata.metatype !== Object;
    if (metadata.type === 'body' && isDto && !isPlainObject(value)) {
      throw UnprocessableError.forField(
        'input',
        'must be a JSON object (Content-Type: application/json)',
      );
    }
    if (metadata.metatype === undefined || !this.toValidate(metadata) || !isPlainObject(value)) {
      return super.transform(value, metadata) as Promise<unknown>;
    }
    const fields = this.findFieldNames(metadata.metatype);
    if (Reflect.hasMetadata(CHECKED_NAMES, metadata.metatype)) refuseMisnamed(value, fields);
    const misplaced: unknown = Reflect.getMetadata(MISPLACED_NAMES, metadata.metatype);
    if (misplaced !== undefined) refuseMisplaced(value, misplaced as Record<string, string>);
    // Drops undeclared fields first, because transformation is quadratic in the number of keys.
    return super.transform(declaredFields(value, fields), metadata) as Promise<unknown>;
  }

  private findFieldNames(dto: Type): ReadonlySet<string> {
    const known = this.fields.get(dto);
    if (known !== undefined) return known;
    const metadata = getMetadataStorage().getTargetValidationMetadatas(dto, '', false, false);
    const fields = new Set(metadata.map(({ propertyName }) => propertyName));
    this.fields.set(dto, fields);
    return fields;
  }
}

function declaredFields(value: object, fields: ReadonlySet<string>): object {
  return Object.fromEntries(Object.entries(value).filter(([name]) => fields.has(name)));
}

function isAbsent(value: unknown): boolean {
  return value === undefined || value === null;
}

function isPlainObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function problems(error: ValidationError, prefix: string): FieldProblem[] {
  const field = prefix + error.property;
  const own = Object.entries(error.constraints ?? {}).slice(0, 1);
  if (own.length > 0 && isAbsent(error.value)) return [{ field, error: 'is required' }];
  return [
    ...own.flatMap(([name, message]) =>
      name === MEMBERS
        ? memberProblems(message, field)
        : [{ field, error: withoutName(message, error.property) }],
    ),
    ...(error.children ?? []).flatMap((child) => problems(child, `${field}.`)),
  ];
}

/** Parses messages such as `0,2:must be …`, with percent-encoded names, into problems. */
function memberProblems(message: string, field: string): FieldProblem[] {
  const colon = message.indexOf(':');
  const members = message.slice(0, colon).split(',').map(decodeURIComponent);
  return members.map((name) => ({ field: `${field}.${name}`, error: message.slice(colon + 1) }));
}

/** Messages from class-validator begin with the property, which the body contains already. */
function withoutName(message: string, property: string): string {
  return message.startsWith(`${property} `) ? message.slice(property.length + 1) : message;
}
