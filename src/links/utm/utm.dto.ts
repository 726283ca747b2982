import { applyDecorators } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional, type ApiPropertyOptions } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import {
  IsBoolean,
  IsObject,
  IsOptional,
  IsString,
  registerDecorator,
  ValidateNested,
} from 'class-validator';
import { UnprocessableError } from '../../common/errors';
import { CheckedNames, RightlyNamed, SoundText, Trimmed } from '../../common/http/validators';
import { textProblem } from '../../common/plain-text';
import { UTM_FIELDS, type RequestedUtm } from '../../destinations/utm';
import type { NewUtmTemplate, UtmTemplateChange } from './utm-template';

const MAX_UTM_VALUE_LENGTH = 100;
const MAX_TEMPLATE_NAME_LENGTH = 60;

function LineField(
  max: number,
  described: ApiPropertyOptions,
  optional: boolean,
): PropertyDecorator {
  const property = { type: String, minLength: 1, maxLength: max, ...described };
  return applyDecorators(
    Trimmed(),
    SoundText((text) => textProblem(text, { max })),
    ...(optional
      ? [IsOptional(), ApiPropertyOptional({ ...property, nullable: true })]
      : [ApiProperty(property)]),
  );
}

const ValueField = (example?: string): PropertyDecorator =>
  LineField(MAX_UTM_VALUE_LENGTH, example === undefined ? {} : { example }, true);

class UtmValuesDto {
  @ValueField('newsletter') source?: string | null;
  @ValueField('email') medium?: string | null;
  @ValueField('spring sale') campaign?: string | null;
  @ValueField() term?: string | null;
  @ValueField() content?: string | null;
}

export class UtmDto extends UtmValuesDto implements RequestedUtm {
  @IsString()
  @IsOptional()
  @ApiPropertyOptional({
    type: String,
    nullable: true,
    description: "A template ID. The template's values apply unless the request contains its own",
  })
  template?: string | null;

  @IsBoolean()
  @IsOptional()
  @ApiPropertyOptional({
    type: Boolean,
    nullable: true,
    default: false,
    description: 'Whether new values replace parameters that the destination already has',
  })
  overwrite?: boolean | null;
}

/** Null counts as absent (docs/contract.md#33.1). */
export function UtmValuesField(): PropertyDecorator {
  return applyDecorators(
    IsOptional(),
    IsObject(),
    HasAnyField('template', ...UTM_FIELDS),
    ValidateNested(),
    Type(() => UtmDto),
    RightlyNamed('template', 'overwrite', ...UTM_FIELDS),
    ApiPropertyOptional({
      type: UtmDto,
      nullable: true,
      description:
        'Campaign parameters to merge into the destination (`utm_source` and so on). At least one of the five or a template is required',
    }),
  );
}

function HasAnyField(...fields: string[]): PropertyDecorator {
  return (target, property) => {
    registerDecorator({
      name: 'hasOneOf',
      target: target.constructor,
      propertyName: String(property),
      validator: {
        validate: (value: unknown) =>
          typeof value === 'object' && value !== null && isOneGiven({ ...value }, fields),
        defaultMessage: () => `needs at least one of ${fields.join(', ')}`,
      },
    });
  };
}

const isOneGiven = (values: Partial<Record<string, unknown>>, fields: readonly string[]): boolean =>
  fields.some((field) => values[field] !== undefined && values[field] !== null);

@CheckedNames()
export class CreateUtmTemplateDto extends UtmValuesDto {
  @LineField(MAX_TEMPLATE_NAME_LENGTH, { example: 'Spring newsletter' }, false) name!: string;
}

@CheckedNames()
export class UpdateUtmTemplateDto extends UtmValuesDto {
  @LineField(MAX_TEMPLATE_NAME_LENGTH, { example: 'Spring newsletter' }, true) name?: string | null;
}

export function toNewUtmTemplate(body: CreateUtmTemplateDto): NewUtmTemplate {
  const { name, source = null, medium = null, campaign = null, term = null, content = null } = body;
  if (!isOneGiven({ source, medium, campaign, term, content }, UTM_FIELDS)) {
    throw UnprocessableError.forField(
      'source',
      `is required, or one of ${UTM_FIELDS.slice(1).join(', ')}`,
    );
  }
  return { name, source, medium, campaign, term, content };
}

/** Null removes a value. A null name is ignored. */
export function toUtmTemplateChange({
  name,
  source,
  medium,
  campaign,
  term,
  content,
}: UpdateUtmTemplateDto): UtmTemplateChange {
  const change = { name: name ?? undefined, source, medium, campaign, term, content };
  return Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined));
}
