import type { Client } from '../../infrastructure/client-address/client-address';
import { hashPassword, verifyPassword } from '../../infrastructure/hashing/password-hash';
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

/** Returns the unmet requirements (docs/contract.md#12.3) as text. */
export function missingRequirements(password: string): string[] {
  return REQUIREMENTS.filter(([, pattern]) => !pattern.test(password)).map(([name]) => name);
}

export function refuseWeakPassword(password: string): void {
  const missing = missingRequirements(password);
  if (missing.length > 0) throw new WeakPasswordError(missing);
}

const ACCOUNT_COST = 12;
/** Hash of a random text. It is compared if an account has no hash, so that the timing is equal. */
const PLACEHOLDER_HASH = '$2b$12$Jh6gpL7HDQl4HSdEYk5F5e/m1F3yNrCNYrqAawUxZt8HqbFOlFmUy';

export function hashAccountPassword(password: string, client: Client): Promise<string> {
  return hashPassword(password, ACCOUNT_COST, { kind: 'account', client });
}

/** Takes the same time whether or not the account has a hash. */
export async function isAccountPassword(
  password: string,
  hash: string | null,
  client: Client,
): Promise<boolean> {
  const same = await verifyPassword([password], hash ?? PLACEHOLDER_HASH, {
    kind: 'account',
    client,
  });
  return same && hash !== null;
}
