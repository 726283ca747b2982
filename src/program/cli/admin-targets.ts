import { type Account, readEmail } from '../../accounts/account/account';
import { UnknownAccountError } from '../../accounts/account/accounts.errors';
import type { AuditActor } from '../../audit-trail/audit-entry';
import { isId } from '../../common/http/parse-id.pipe';
import type { AdminAccountResponse } from '../../moderation/administration/accounts/admin-account.response';
import type { AdminLinkResponse } from '../../moderation/administration/links/admin-link.response';
import { UnknownLinkError } from '../../stores/links/link.errors';
import { type AdminWords, readReason } from './admin-arguments.rules';
import {
  ACCOUNT_COLUMNS,
  ADMIN_LINK_COLUMNS,
  type AdminOutput,
  DOMAIN_COLUMNS,
  toOutput,
} from './admin-tables';
import type { AdminServices } from './admin.module';

export const ACTOR: AuditActor = { id: null, via: 'cli' };

/** A code on a custom domain is written as `links.example.com/code`. */
export async function findLinkId(
  { storedLinks, addresses }: AdminServices,
  text: string,
): Promise<string> {
  if (isId(text)) {
    const link = await storedLinks.findById(text.toLowerCase());
    if (link !== null) return link.id;
  }
  const key = addresses.keyOfLabel(text, null);
  const link = key === null ? null : await storedLinks.findByAlias(key);
  if (link === null) throw new UnknownLinkError('address');
  return link.id;
}

export async function findAccount(
  { storedAccounts }: AdminServices,
  text: string,
): Promise<Account> {
  const email = readEmail(text);
  const account = isId(text)
    ? await storedAccounts.findById(text.toLowerCase())
    : email && (await storedAccounts.findByEmail(email));
  if (!account) throw new UnknownAccountError();
  return account;
}

type Act<Row> = (services: AdminServices, id: string, reason: string | null) => Promise<Row>;

export async function onLink(
  services: AdminServices,
  words: AdminWords,
  act: Act<AdminLinkResponse>,
): Promise<AdminOutput> {
  const reason = readReason(words);
  const id = await findLinkId(services, words.argument);
  return toOutput([await act(services, id, reason)], ADMIN_LINK_COLUMNS);
}

export async function onAccount(
  services: AdminServices,
  words: AdminWords,
  act: Act<AdminAccountResponse>,
): Promise<AdminOutput> {
  const reason = readReason(words);
  const { id } = await findAccount(services, words.argument);
  return toOutput([await act(services, id, reason)], ACCOUNT_COLUMNS);
}

export async function setShared(
  { domains }: AdminServices,
  words: AdminWords,
  isShared: boolean,
): Promise<AdminOutput> {
  const reason = readReason(words);
  const id = await domains.findId(words.argument);
  return toOutput([await domains.share(id, isShared, reason, ACTOR)], DOMAIN_COLUMNS);
}
