import { readEmail } from '../../../accounts/account/account';
import type { AccountsRepository } from '../../../accounts/account/accounts.repository';
import { isId } from '../../../common/http/parse-id.pipe';

/** @returns null if no account has the address */
export async function ownerIdFor(
  owner: string,
  accounts: AccountsRepository,
): Promise<string | null> {
  if (isId(owner)) return owner.toLowerCase();
  const email = readEmail(owner);
  return email === null ? null : ((await accounts.findByEmail(email))?.id ?? null);
}
