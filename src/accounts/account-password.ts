import type { Client } from '../platform/address/client';
import { hashPassword, verifyPassword } from '../platform/hashing/password-hash';

const COST = 12;
/** Of a random text that nobody knows: compared where there is no hash, so that it costs the same. */
const NOBODYS_HASH = '$2b$12$Jh6gpL7HDQl4HSdEYk5F5e/m1F3yNrCNYrqAawUxZt8HqbFOlFmUy';

export function hashAccountPassword(password: string, client: Client): Promise<string> {
  return hashPassword(password, COST, { kind: 'account', client });
}

/** True when the password is the account's; one bcrypt comparison whether or not there is a hash. */
export async function isAccountPassword(
  password: string,
  hash: string | null,
  client: Client,
): Promise<boolean> {
  const same = await verifyPassword(password, hash ?? NOBODYS_HASH, { kind: 'account', client });
  return same && hash !== null;
}
