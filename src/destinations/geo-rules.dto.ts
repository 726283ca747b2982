import { applyDecorators } from '@nestjs/common';
import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsOptional, registerDecorator } from 'class-validator';
import { MEMBERS } from '../common/http/validators';
import { type GeoRules, MAX_COUNTRIES } from './destinations';
import { isObject, MAX_ADDRESS, REMOVES } from './destinations.dto';

export function GeoRulesField(): PropertyDecorator {
  const description = `Other destinations by country (ISO 3166-1 alpha-2), used if no rule matches. ${REMOVES}`;
  return applyDecorators(
    IsGeoRules(),
    IsOptional(),
    ApiPropertyOptional({
      type: 'object',
      additionalProperties: { type: 'string', minLength: 1, maxLength: MAX_ADDRESS },
      maxProperties: MAX_COUNTRIES,
      nullable: true,
      description,
      example: { DE: 'https://example.com/de' },
    }),
  );
}

function IsGeoRules(): PropertyDecorator {
  const faults = (value: unknown): string[] =>
    isObject(value)
      ? Object.entries(value).flatMap(([code, url]) => (isDestination(url) ? [] : [code]))
      : [];
  return (target, property) => {
    const declared = { target: target.constructor, propertyName: String(property) };
    registerDecorator({
      ...declared,
      name: 'isGeoRules',
      validator: {
        validate: (value: unknown) => isObject(value) && Object.keys(value).length <= MAX_COUNTRIES,
        defaultMessage: () => `must be an object of at most ${MAX_COUNTRIES} countries`,
      },
    });
    registerDecorator({
      ...declared,
      name: MEMBERS,
      validator: {
        validate: (value: unknown) => faults(value).length === 0,
        defaultMessage: (args) =>
          `${faults(args?.value)
            .map((code) => encodeURIComponent(code.toWellFormed()))
            .join(',')}:must be a string of 1 to ${MAX_ADDRESS} characters`,
      },
    });
  };
}

const isDestination = (value: unknown): boolean =>
  typeof value === 'string' && value !== '' && value.length <= MAX_ADDRESS;

export function toGeoRules(rules: GeoRules | null): GeoRules | null {
  return rules === null || Object.keys(rules).length === 0 ? null : rules;
}
