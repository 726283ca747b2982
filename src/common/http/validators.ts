import { applyDecorators, SetMetadata } from '@nestjs/common';
import { ApiPropertyOptional } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
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

type Fields = Record<string, unknown>;

export const CHECKED_NAMES = 'curtail:checked-names';

/** For bodies of /api/v1: a name that is nearly one of the body's fields is refused, not ignored. */
export const CheckedNames = (): ClassDecorator => SetMetadata(CHECKED_NAMES, true);

export const MISPLACED_NAMES = 'curtail:misplaced-names';

/** For queries: names that belong into a parameter, by what is to be written instead. */
export const MisplacedNames = (names: Readonly<Record<string, string>>): ClassDecorator =>
  SetMetadata(MISPLACED_NAMES, names);

const isGiven = (value: unknown): boolean => value !== undefined && value !== null;

/** The first of two names of a field: validated when given, required when the other one is absent. */
export function RequiredWithout(name: string, alternative: string): PropertyDecorator {
  return ValidateIf((body: Fields) => isGiven(body[name]) || !isGiven(body[alternative]));
}

/** An integer or a text (docs/contract.md#1, time input); empty texts are no value. */
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
          `${name} must be an integer (Unix seconds) or a time text`,
      },
    });
  };
}

/** A whole number as text, as queries have it; what is none stays as it is and is refused. */
export const IsDigits = (): PropertyDecorator =>
  Transform(({ value }: { value: unknown }) =>
    typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value,
  );

/** The page of a list that is asked for. */
export const PageField = (): PropertyDecorator =>
  applyDecorators(
    IsInt(),
    Min(1),
    IsDigits(),
    ApiPropertyOptional({ type: 'integer', minimum: 1, default: 1 }),
  );

const MAX_PAGE_SIZE = 100;

/** How many items a page has. */
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

/** `true` or `false` as text, as queries have it; other words stay as they are and are refused. */
export const IsFlag = (): PropertyDecorator =>
  Transform(({ value }: { value: unknown }) => FLAGS.get(value) ?? value);

/** Whether CSV files begin with the UTF-8 mark, by which Excel knows their encoding. */
export const BomField = (): PropertyDecorator =>
  applyDecorators(
    IsFlag(),
    IsBoolean(),
    IsOptional(),
    ApiPropertyOptional({ type: Boolean, default: false, description: BOM_DESCRIPTION }),
  );

export const BOM_DESCRIPTION =
  'Whether CSV files begin with the UTF-8 mark, which Excel needs to read other letters than those of ASCII; other formats have none';

/** A text in which nothing is found wrong; the finding is the message. */
export function SoundText(problemOf: (text: string) => string | null): PropertyDecorator {
  const problem = (value: unknown): string | null =>
    typeof value === 'string' ? problemOf(value) : 'must be a text';
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

/** White space around a text does not belong to it. */
export const Trimmed = (): PropertyDecorator =>
  Transform(({ value }: { value: unknown }) => (typeof value === 'string' ? value.trim() : value));

/** Name of the constraint whose message lists the members at fault; the pipe takes it apart. */
export const MEMBERS = 'members';

/** Each member of a list is one of these; one that is not is a problem of its own, `scopes.0`. */
export function MembersIn(allowed: readonly string[]): PropertyDecorator {
  const isAllowed = (member: unknown): boolean => allowed.includes(member as string);
  return Members(
    (list) => list.flatMap((member, i) => (isAllowed(member) ? [] : [i])),
    `must be one of ${allowed.join(', ')}`,
  );
}

/** A list whose members at fault, which have these places, are problems of their own. */
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
