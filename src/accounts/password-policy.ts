import { WeakPasswordError } from './accounts.errors';

export const ACCOUNT_PASSWORD_LENGTH = { min: 8, max: 128 } as const;

const REQUIREMENTS: readonly (readonly [string, RegExp])[] = [
  ['an upper-case letter', /[A-Z]/],
  ['a lower-case letter', /[a-z]/],
  ['a digit', /[0-9]/],
  ['a special character', /[!@#$%^&*()_+\-=[\]{};':"\\|,.<>/?~`]/],
  [
    'only letters, digits, spaces and the listed special characters',
    /^[A-Za-z0-9\s!@#$%^&*()_+\-=[\]{};':"\\|,.<>/?~`]*$/,
  ],
];

/** What a password misses (contract 12.3), in plain words; empty when it is strong enough. */
export function missingRequirements(password: string): string[] {
  return REQUIREMENTS.filter(([, pattern]) => !pattern.test(password)).map(([name]) => name);
}

/** Throws WeakPasswordError unless the password follows contract 12.3; its length is a shape. */
export function refuseWeakPassword(password: string): void {
  const missing = missingRequirements(password);
  if (missing.length > 0) throw new WeakPasswordError(missing);
}
