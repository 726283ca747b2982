import { registerDecorator, type ValidationArguments } from 'class-validator';
import { DEVICES } from './api-dimension';
import { commaList } from './comma-list';
import { parseFilters } from './filters-json';

function rule(
  name: string,
  validate: (value: string) => boolean,
  message: string,
): PropertyDecorator {
  return (target, property) => {
    registerDecorator({
      name,
      target: target.constructor,
      propertyName: String(property),
      validator: {
        validate: (value: unknown) => typeof value === 'string' && validate(value),
        defaultMessage: ({ property: field }: ValidationArguments) => `${field} ${message}`,
      },
    });
  };
}

/** A comma list of these words. */
export function IsCommaListOf(words: readonly string[]): PropertyDecorator {
  const fits = (value: string): boolean => commaList(value).every((part) => words.includes(part));
  return rule('isCommaListOf', fits, `must be a comma list of ${words.join(', ')}`);
}

/** A JSON object that maps dimensions to arrays of texts; devices must exist where they count. */
export function IsFilters(options: { devices: boolean }): PropertyDecorator {
  const fits = (value: string): boolean => {
    const filters = parseFilters(value);
    if (filters === null) return false;
    return filters.every(
      ([dimension, values]) =>
        !options.devices ||
        dimension !== 'device' ||
        values.every((device) => DEVICES.includes(device)),
    );
  };
  const devices = options.devices ? `, devices being ${DEVICES.join(', ')}` : '';
  return rule(
    'isFilters',
    fits,
    `must be a JSON object of dimensions to arrays of strings${devices}`,
  );
}
