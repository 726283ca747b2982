import { registerDecorator, type ValidationArguments } from 'class-validator';
import { aliasShapeProblem } from './alias';

/** The shape of a wished alias (contract 5.1); longer values are judged by what the cut leaves. */
export function IsAlias(): PropertyDecorator {
  return (target, property) => {
    registerDecorator({
      name: 'isAliasWish',
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
