import { applyDecorators } from '@nestjs/common';
import { ApiProperty, type ApiPropertyOptions } from '@nestjs/swagger';
import {
  IsArray,
  IsBoolean,
  IsIn,
  IsInt,
  IsOptional,
  IsString,
  Length,
  Max,
  MaxLength,
  Min,
  MinLength,
} from 'class-validator';
import { FUTURE_TIME } from '../../common/openapi/properties';
import {
  RequiredWithout,
  IsNumberOrText,
  Members,
  SoundText,
  Trimmed,
} from '../../common/http/validators';
import { NormalizedPassword } from '../../common/password';
import { textProblem } from '../../common/plain-text';
import { aliasShapeProblem, isImportedForm } from './alias';
import { MAX_URL_LENGTH } from './destination';
import { LINK_STATUSES, MAX_NOTE, MAX_TITLE } from '../../stores/links/link';
import { MAX_TAG_NAME, MAX_TAGS_OF_LINK, tagKey, tagNameProblem } from '../../stores/tags/tag';
import { LINK_PASSWORD_LENGTH } from './link-password';

// Each decorator validates and describes a field (docs/contract.md#5.1; for null, see 6.3).

interface FieldOptions {
  readonly optional?: boolean;
  /** Name of another field; this field is required unless that one is present. */
  readonly orElse?: string;
  readonly description?: string;
  readonly deprecated?: boolean;
}

/** Whether null removes the value. */
interface RemovableOptions extends FieldOptions {
  readonly removable?: boolean;
}

export function UrlField(
  options: FieldOptions = {},
  example = 'https://example.com/spring/sale',
  maxLength = MAX_URL_LENGTH,
): PropertyDecorator {
  const described = { type: String, maxLength, minLength: 1, example };
  return describeField(described, options, IsString(), MinLength(1), MaxLength(maxLength));
}

/** Validates the alias after it has been truncated. */
export function AliasField(options: FieldOptions = {}): PropertyDecorator {
  const description =
    '3 to 16 letters, digits, `-` and `_`, or 1 to 15 single emoji. Longer values are first truncated to 16 characters. A reserved word (contract 5.3) returns 400. Generated if absent';
  const described = { type: String, minLength: 1, description, example: 'spring-sale' };
  return describeField(described, options, IsString(), SoundText(aliasShapeProblem));
}

/** Also accepts imported aliases, because the link may already have one. */
export function ChangedAliasField(): PropertyDecorator {
  const description =
    'The rules for new links apply. The current alias is always accepted, even if it was imported and would not be allowed for a new link';
  const described = { type: String, minLength: 1, description, example: 'spring-sale' };
  const problem = (text: string): string | null =>
    isImportedForm(text) ? null : aliasShapeProblem(text);
  return describeField(described, { optional: true }, IsString(), SoundText(problem));
}

export const MAX_DOMAIN_LENGTH = 253;

const ALIAS_TYPES = ['alphanumeric', 'emoji'] as const;

export type AliasType = (typeof ALIAS_TYPES)[number];

export function AliasTypeField(options: FieldOptions = {}): PropertyDecorator {
  const description = 'The characters to use in a generated alias; ignored if `alias` is set';
  return describeField({ enum: ALIAS_TYPES, description }, options, IsIn(ALIAS_TYPES));
}

/** An absent value means the account's default domain; null means the host of BASE_URL. */
export function DomainField(): PropertyDecorator {
  const description =
    "One of your active custom domains; null means this service's own host. If absent, a new link gets your default domain, and an existing link keeps its domain";
  const described = {
    type: String,
    maxLength: MAX_DOMAIN_LENGTH,
    description,
    example: 'links.example.com',
  };
  return describeField(described, { optional: true }, IsString(), MaxLength(MAX_DOMAIN_LENGTH));
}

export function LinkPasswordField(options: RemovableOptions = {}): PropertyDecorator {
  const { min, max } = LINK_PASSWORD_LENGTH;
  const rule =
    'Must contain a letter, a digit, and `@` or `.`. The characters `@` and `.` must not be adjacent or repeated';
  const described = {
    type: String,
    minLength: min,
    maxLength: max,
    description: rule,
    example: 'tulips@2030',
  };
  const description = `${rule}; null removes it`;
  const rules = [IsString(), Length(min, max), NormalizedPassword()];
  return describeField(removable(described, description, options), options, ...rules);
}

/** At most the largest safe integer. If removable, 0 removes the limit, like null. */
export function MaxClicksField(options: RemovableOptions = {}): PropertyDecorator {
  const minimum = options.removable ? 0 : 1;
  const description = 'Closes the link after this many clicks';
  const maximum = Number.MAX_SAFE_INTEGER;
  const described = { type: 'integer', minimum, maximum, description, example: 1000 } as const;
  const removing = `${description}; null and 0 remove the limit`;
  const rules = [IsInt(), Min(minimum), Max(maximum)];
  return describeField(removable(described, removing, options), options, ...rules);
}

export function LinkExpiryField(options: RemovableOptions = {}): PropertyDecorator {
  const description = FUTURE_TIME;
  const described: ApiPropertyOptions = {
    oneOf: [{ type: 'integer' }, { type: 'string' }],
    description,
    example: '2030-06-01T00:00:00Z',
  };
  const removing = `${description}; null removes it`;
  return describeField(removable(described, removing, options), options, IsNumberOrText());
}

export function StartField(options: FieldOptions = {}): PropertyDecorator {
  const described: ApiPropertyOptions = {
    oneOf: [{ type: 'integer' }, { type: 'string' }],
    description: `Visitors are not redirected to the destination before this time. ${FUTURE_TIME}, before \`expire_after\`; null removes it`,
    example: '2030-05-01T00:00:00Z',
  };
  return describeField(described, options, IsNumberOrText());
}

export function FlagField(options: FieldOptions = {}): PropertyDecorator {
  return describeField({ type: Boolean }, options, IsBoolean());
}

export function StatusField(options: FieldOptions = {}): PropertyDecorator {
  return describeField({ enum: LINK_STATUSES }, options, IsIn(LINK_STATUSES));
}

export function TitleField(options: RemovableOptions = {}): PropertyDecorator {
  const form = { max: MAX_TITLE };
  const description = 'A single line, visible only to the owner';
  const described = { type: String, minLength: 1, maxLength: MAX_TITLE, description };
  return textField({ ...described, example: 'Spring sale' }, options, form);
}

export function NoteField(options: RemovableOptions = {}): PropertyDecorator {
  const form = { max: MAX_NOTE, lines: true };
  const description = 'Text that is visible only to the owner';
  const described = { type: String, minLength: 1, maxLength: MAX_NOTE, description };
  return textField({ ...described, example: 'Ordered by the Paris office' }, options, form);
}

function textField(
  described: ApiPropertyOptions & { description: string },
  options: RemovableOptions,
  form: Parameters<typeof textProblem>[1],
): PropertyDecorator {
  const removing = `${described.description}; null removes it`;
  const isSound = SoundText((text) => textProblem(text, form));
  return describeField(removable(described, removing, options), options, isSound, Trimmed());
}

export function TagsField(options: RemovableOptions = {}): PropertyDecorator {
  const description = `Tag names, in any case. Tags that do not exist are created. A name has 1 to ${MAX_TAG_NAME} characters, no commas and no control characters, and must not be \`(none)\`. Repeated names count once; a link can have up to ${MAX_TAGS_OF_LINK}`;
  const described: ApiPropertyOptions = {
    type: 'array',
    items: { type: 'string', minLength: 1, pattern: '^[^,]+$' },
    description,
    example: ['Spring sale', 'Newsletter'],
  };
  const message = `must be the name of a tag: 1 to ${MAX_TAG_NAME} characters without a comma, no control characters, not \`(none)\`; and a link has at most ${MAX_TAGS_OF_LINK} tags`;
  const removing = `${description}. These tags replace the current ones; null and an empty list remove them all`;
  const rules = [IsArray(), Members(faultyTags, message)];
  return describeField(removable(described, removing, options), options, ...rules);
}

/** Returns the indexes of invalid names and of the first tag over the limit. */
function faultyTags(list: readonly unknown[]): number[] {
  const keys = new Set<string>();
  const faults: number[] = [];
  for (const [i, name] of list.entries()) {
    const key = typeof name === 'string' && tagNameProblem(name) === null ? tagKey(name) : null;
    const isOneMore = key !== null && !keys.has(key) && keys.size === MAX_TAGS_OF_LINK;
    if (key === null || isOneMore) faults.push(i);
    if (isOneMore || faults.length === MAX_TAGS_OF_LINK) break;
    if (key !== null) keys.add(key);
  }
  return faults;
}

function describeField(
  described: ApiPropertyOptions,
  { optional = false, orElse, description, deprecated }: FieldOptions,
  ...checks: PropertyDecorator[]
): PropertyDecorator {
  const property = {
    ...described,
    ...(description === undefined ? {} : { description }),
    ...(deprecated === undefined ? {} : { deprecated }),
    required: !optional && orElse === undefined,
    nullable: optional,
  } as ApiPropertyOptions;
  if (optional) checks.push(IsOptional());
  if (orElse !== undefined) checks.push(RequiredUnless(orElse));
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

function RequiredUnless(alternative: string): PropertyDecorator {
  return (target, property) => RequiredWithout(String(property), alternative)(target, property);
}
