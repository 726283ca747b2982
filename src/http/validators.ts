import { registerDecorator, ValidateIf, type ValidationArguments } from 'class-validator';

type Fields = Record<string, unknown>;

const isGiven = (value: unknown): boolean => value !== undefined && value !== null;

/** The first of two names of a field: validated when given, required when the other one is absent. */
export function AtLeastOneOf(name: string, other: string): PropertyDecorator {
  return ValidateIf((body: Fields) => isGiven(body[name]) || !isGiven(body[other]));
}

/** An integer or a text (contract 1, time input); empty texts are no value. */
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
