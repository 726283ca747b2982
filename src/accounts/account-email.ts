import { applyDecorators } from '@nestjs/common';
import { Transform } from 'class-transformer';
import { isEmail, registerDecorator, type ValidationArguments } from 'class-validator';

export const LONGEST_EMAIL = 254;

/** The form in which emails are stored and compared (contract 12.2). */
export function normaliseEmail(email: string): string {
  return email.trim().toLowerCase();
}

/** A well-formed address; special-use domains pass, `localhost` as the only one without a dot. */
export function isWellFormedEmail(email: string): boolean {
  // The library throws at half a character.
  if (email.length > LONGEST_EMAIL || !email.isWellFormed()) return false;
  return isEmail(email) || (email.endsWith('@localhost') && isEmail(email, { require_tld: false }));
}

/** An email field of a body: normalised, then judged. */
export function EmailField(): PropertyDecorator {
  return applyDecorators(
    Transform(({ value }: { value: unknown }) =>
      typeof value === 'string' ? normaliseEmail(value) : value,
    ),
    (target: object, property?: string | symbol) => {
      registerDecorator({
        name: 'isAccountEmail',
        target: target.constructor,
        propertyName: String(property),
        validator: {
          validate: (value: unknown) => typeof value === 'string' && isWellFormedEmail(value),
          defaultMessage: ({ property: name }: ValidationArguments) =>
            `${name} must be an email address of at most ${LONGEST_EMAIL} characters`,
        },
      });
    },
  );
}
