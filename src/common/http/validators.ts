import { applyDecorators, SetMetadata } from '@nestjs/common';
import { ApiPropertyOptional } from '@nestjs/swagger';
import { Transform, type TransformFnParams } from 'class-transformer';
import {
  IsBoolean,
  IsInt,
  IsOptional,
  Max,
  Min,
  registerDecorator,
  ValidateIf,
  type ValidationArguments,
} from 'class-validator';
import { refuseMisnamed } from './field-names';

type Fields = Record<string, unknown>;

export const CHECKED_NAMES = 'curtail:checked-names';

/** For request bodies in /api/v1. Rejects likely typos in field names. */
export const CheckedNames = (): ClassDecorator => SetMetadata(CHECKED_NAMES, true);

/** Rejects likely typos in the field names of a nested object, which validation would drop. */
export function RightlyNamed(...fields: readonly string[]): PropertyDecorator {
  return Transform(({ value, key }: TransformFnParams): unknown => {
    const given: unknown = value;
    if (typeof given === 'object' && given !== null) refuseMisnamed(given, fields, `${key}.`);
    return given;
  });
}

export const MISPLACED_NAMES = 'curtail:misplaced-names';

/** For queries. Rejects names that are valid only inside a parameter. */
export const MisplacedNames = (names: Readonly<Record<string, string>>): ClassDecorator =>
  SetMetadata(MISPLACED_NAMES, names);

const isGiven = (value: unknown): boolean => value !== undefined && value !== null;

/** Makes a field required if an alternative field is absent. */
export function RequiredWithout(name: string, alternative: string): PropertyDecorator {
  return ValidateIf((body: Fields) => isGiven(body[name]) || !isGiven(body[alternative]));
}

/** For time input (docs/contract.md#1). Rejects empty strings. */
export function IsNumberOrText(): PropertyDecorator {
  return (target, property) => {
    registerDecorator({
      name: 'isNumberOrText',
      target: target.constructor,
      propertyName: String(property),
      validator: {
        validate: (value: unknown) =>
          Number.isSafeInteger(value) || (typeof value === 'string' && value !== ''),
        defaultMessage: ({ property: name }: ValidationArguments) =>
          `${name} must be an integer (Unix seconds) or an ISO 8601 time`,
      },
    });
  };
}

/** Converts digits in a query to a number. Validation rejects other values. */
export const IsDigits = (): PropertyDecorator =>
  Transform(({ value }: { value: unknown }) =>
    typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value,
  );

export const PageField = (): PropertyDecorator =>
  applyDecorators(
    IsInt(),
    Min(1),
    IsDigits(),
    ApiPropertyOptional({ type: 'integer', minimum: 1, default: 1 }),
  );

const MAX_PAGE_SIZE = 100;

export const PageSizeField = (size: number): PropertyDecorator =>
  applyDecorators(
    IsInt(),
    Min(1),
    Max(MAX_PAGE_SIZE),
    IsDigits(),
    ApiPropertyOptional({ type: 'integer', minimum: 1, maximum: MAX_PAGE_SIZE, default: size }),
  );

const FLAGS = new Map<unknown, boolean>([
  ['true', true],
  ['false', false],
]);

/** Converts `true` and `false` in a query. Validation rejects other values. */
export const IsFlag = (): PropertyDecorator =>
  Transform(({ value }: { value: unknown }) => FLAGS.get(value) ?? value);

/** Whether CSV files begin with a byte-order mark, which Excel needs to detect UTF-8. */
export const BomField = (): PropertyDecorator =>
  applyDecorators(
    IsFlag(),
    IsBoolean(),
    IsOptional(),
    ApiPropertyOptional({ type: Boolean, default: false, description: BOM_DESCRIPTION }),
  );

export const BOM_DESCRIPTION =
  'Whether CSV files begin with a UTF-8 byte-order mark, which Excel needs for non-ASCII letters; ignored for other formats';

export function SoundText(problemOf: (text: string) => string | null): PropertyDecorator {
  const problem = (value: unknown): string | null =>
    typeof value === 'string' ? problemOf(value) : 'must be a string';
  return (target, property) => {
    registerDecorator({
      name: 'soundText',
      target: target.constructor,
      propertyName: String(property),
      validator: {
        validate: (value: unknown) => problem(value) === null,
        defaultMessage: ({ value }: ValidationArguments) => problem(value) ?? '',
      },
    });
  };
}

export const Trimmed = (): PropertyDecorator =>
  Transform(({ value }: { value: unknown }) => (typeof value === 'string' ? value.trim() : value));

/** Constraint whose message lists the invalid members. RequestValidationPipe parses it. */
export const MEMBERS = 'members';

/** Reports each invalid member as a separate problem, for example `scopes.0`. */
export function MembersIn(allowed: readonly string[]): PropertyDecorator {
  const isAllowed = (member: unknown): boolean => allowed.includes(member as string);
  return Members(
    (list) => list.flatMap((member, i) => (isAllowed(member) ? [] : [i])),
    `must be one of ${allowed.join(', ')}`,
  );
}

export function Members(
  faultsOf: (list: readonly unknown[]) => readonly number[],
  message: string,
): PropertyDecorator {
  const indexes = (list: unknown): readonly number[] =>
    Array.isArray(list) ? faultsOf(list as unknown[]) : [];
  return (target, property) => {
    registerDecorator({
      name: MEMBERS,
      target: target.constructor,
      propertyName: String(property),
      validator: {
        validate: (list: unknown) => Array.isArray(list) && indexes(list).length === 0,
        defaultMessage: ({ value }: ValidationArguments) => `${indexes(value).join()}:${message}`,
      },
    });
  };
}
