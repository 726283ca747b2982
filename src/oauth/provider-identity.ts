import type { Account, LinkedIdentity, Picture } from '../accounts/account/account';
import type { ProviderProfile } from './providers/oauth-provider';

export function toLinkedIdentity(
  provider: string,
  profile: ProviderProfile & { readonly email: string },
  linkedAt: Date,
): LinkedIdentity {
  return { provider, ...profile, linkedAt };
}

/** Returns the picture after linking. Keeps a picture from another provider. */
export function pictureWith(account: Account, identity: LinkedIdentity): Picture | null {
  const { picture } = account;
  return picture === null || picture.source === identity.provider ? toPicture(identity) : picture;
}

export function pictureWithout(account: Account, provider: string): Picture | null {
  if (account.picture?.source !== provider) return account.picture;
  const left = account.identities.filter((identity) => identity.provider !== provider);
  return left.map(toPicture).find((picture) => picture !== null) ?? null;
}

export function toPicture(identity: LinkedIdentity): Picture | null {
  return identity.picture === null ? null : { url: identity.picture, source: identity.provider };
}

export function provesEmail(account: Account, identity: LinkedIdentity): boolean {
  return identity.emailVerified && identity.email === account.email;
}
