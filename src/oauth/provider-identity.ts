import type { Account, LinkedIdentity, Picture } from '../accounts/account';
import type { ProviderProfile } from './providers/provider-profile';

/** A profile as the identity that it becomes in an account. */
export function toLinkedIdentity(
  provider: string,
  profile: ProviderProfile & { readonly email: string },
  linkedAt: Date,
): LinkedIdentity {
  return { provider, ...profile, linkedAt };
}

/** The account's picture once it has the identity: another provider's picture stays. */
export function pictureWith(account: Account, identity: LinkedIdentity): Picture | null {
  const { picture } = account;
  return picture === null || picture.source === identity.provider ? toPicture(identity) : picture;
}

/** The account's picture once the provider is unlinked. */
export function pictureWithout(account: Account, provider: string): Picture | null {
  if (account.picture?.source !== provider) return account.picture;
  const left = account.identities.filter((identity) => identity.provider !== provider);
  return left.map(toPicture).find((picture) => picture !== null) ?? null;
}

export function toPicture(identity: LinkedIdentity): Picture | null {
  return identity.picture === null ? null : { url: identity.picture, source: identity.provider };
}

/** Whether the provider vouches for the very address of the account. */
export function provesEmail(account: Account, identity: LinkedIdentity): boolean {
  return identity.emailVerified && identity.email === account.email;
}
