import { applyDecorators } from '@nestjs/common';
import { ApiProperty, type ApiPropertyOptions } from '@nestjs/swagger';
import {
  IsBoolean,
  IsIn,
  IsInt,
  IsOptional,
  IsString,
  Length,
  MaxLength,
  Min,
  MinLength,
  registerDecorator,
  type ValidationArguments,
} from 'class-validator';
import { AtLeastOneOf, IsNumberOrText } from '../common/http/validators';
import { aliasShapeProblem } from './alias';
import { LONGEST_URL } from './destination';
import { LINK_STATUSES } from './link';
import { LINK_PASSWORD_LENGTH } from './link-password';

// The fields of a link as requests have them: each decorator validates and describes at once
// (docs/contract.md#5.1). What null means on an update is docs/contract.md#6.3.

interface FieldOptions {
  /** May be absent or null. */
  readonly optional?: boolean;
  /** Must be there unless the field of this name is. */
  readonly orElse?: string;
  readonly description?: string;
  /** Goes out of use: another field says the same. */
  readonly deprecated?: boolean;
}

/** A field that an update can remove: null is a value of its own there. */
interface RemovableOptions extends FieldOptions {
  readonly removable?: boolean;
}

export function UrlField(options: FieldOptions = {}): PropertyDecorator {
  const described = {
    type: String,
    maxLength: LONGEST_URL,
    minLength: 1,
    example: 'https://example.com/spring/sale',
  };
  return field(described, options, IsString(), MinLength(1), MaxLength(LONGEST_URL));
}

/** Longer values are judged by what the cut leaves of them. */
export function AliasField(options: FieldOptions = {}): PropertyDecorator {
  const description =
    'Letters, digits, `-` and `_`; longer values are cut to 16 characters. Made up when absent';
  const described = { type: String, minLength: 3, description, example: 'spring-sale' };
  return field(described, options, IsString(), IsAlias());
}

export function LinkPasswordField(options: RemovableOptions = {}): PropertyDecorator {
  const { min, max } = LINK_PASSWORD_LENGTH;
  const rule = 'A letter, a digit and one of `@` and `.`, and no two of `@` and `.` side by side';
  const described = {
    type: String,
    minLength: min,
    maxLength: max,
    description: rule,
    example: 'tulips@2030',
  };
  const description = `${rule}; null removes it`;
  return field(removable(described, description, options), options, IsString(), Length(min, max));
}

/** At least 1; where the limit can be removed, 0 removes it too. */
export function MaxClicksField(options: RemovableOptions = {}): PropertyDecorator {
  const minimum = options.removable ? 0 : 1;
  const description = 'Closes the link after so many clicks';
  const described = { type: 'integer', minimum, description, example: 1000 } as const;
  const removing = `${description}; null and 0 remove the limit`;
  return field(removable(described, removing, options), options, IsInt(), Min(minimum));
}

export function ExpiryField(options: RemovableOptions = {}): PropertyDecorator {
  const description = 'Unix seconds or ISO 8601, in the future';
  const described: ApiPropertyOptions = {
    oneOf: [{ type: 'integer' }, { type: 'string' }],
    description,
    example: '2030-06-01T00:00:00Z',
  };
  const removing = `${description}; null removes it`;
  return field(removable(described, removing, options), options, IsNumberOrText());
}

export function FlagField(options: FieldOptions = {}): PropertyDecorator {
  return field({ type: Boolean }, options, IsBoolean());
}

export function StatusField(options: FieldOptions = {}): PropertyDecorator {
  return field({ enum: LINK_STATUSES }, options, IsIn(LINK_STATUSES));
}

function field(
  described: ApiPropertyOptions,
  { optional = false, orElse, description, deprecated }: FieldOptions,
  ...checks: PropertyDecorator[]
): PropertyDecorator {
  const property = {
    ...described,
    ...(description === undefined ? {} : { description }),
    ...(deprecated === undefined ? {} : { deprecated }),
    required: !optional,
    nullable: optional,
  } as ApiPropertyOptions;
  if (optional) checks.push(IsOptional());
  if (orElse !== undefined) checks.push(unless(orElse));
  return applyDecorators(ApiProperty(property), ...checks);
}

function removable(
  described: ApiPropertyOptions,
  description: string,
  options: RemovableOptions,
): ApiPropertyOptions {
  if (options.removable !== true) return described;
  return { ...described, description };
}

function unless(other: string): PropertyDecorator {
  return (target, property) => AtLeastOneOf(String(property), other)(target, property);
}

function IsAlias(): PropertyDecorator {
  return (target, property) => {
    registerDecorator({
      name: 'isAlias',
      target: target.constructor,
      propertyName: String(property),
      validator: {
        validate: (value: unknown) =>
          typeof value === 'string' && aliasShapeProblem(value) === null,
        defaultMessage: ({ value }: ValidationArguments) => aliasShapeProblem(String(value)) ?? '',
      },
    });
  };
}
