import { randomBytes } from 'node:crypto';
import type { Scope } from '../../../src/auth/access';
import { databaseOf } from '../database';
import { bearer, cookiesOf, post } from '../http';
import { newestCode } from '../outbox';
import type { Service } from '../service';

export interface TestAccount {
  readonly email: string;
  readonly password: string;
  readonly accessToken: string;
  readonly userId: string;
  /** Returns both cookies as a Cookie header: `name=value; name=value`. */
  readonly cookies: string;
}

export const STRONG_PASSWORD = 'Corr3ct-Horse';

export function anEmail(): string {
  return `user-${randomBytes(6).toString('hex')}@example.com`;
}

export async function anAccount(service: Service, email = anEmail()): Promise<TestAccount> {
  const answer = await post(service, '/auth/register', { email, password: STRONG_PASSWORD });
  expect(answer.status).toBe(201);
  return {
    email,
    password: STRONG_PASSWORD,
    accessToken: answer.body.access_token as string,
    userId: answer.body.user.id as string,
    cookies: cookiesOf(answer),
  };
}

/** A signed-in account whose email is verified, also according to its token. */
export async function aVerifiedAccount(service: Service, email = anEmail()): Promise<TestAccount> {
  const account = await anAccount(service, email);
  const code = await newestCode(service, email);
  const answer = await post(service, '/auth/verify-email', { code }).set(
    bearer(account.accessToken),
  );
  expect(answer.status).toBe(200);
  return {
    ...account,
    accessToken: answer.body.access_token as string,
    cookies: cookiesOf(answer),
  };
}

/** The service grants this email the admin role with `WITH_ADMIN`. */
export const ADMIN_EMAIL = 'admin@example.com';
export const WITH_ADMIN = { ADMIN_EMAILS: ADMIN_EMAIL };

export function anAdmin(service: Service): Promise<TestAccount> {
  return aVerifiedAccount(service, ADMIN_EMAIL);
}

export async function aKey(
  service: Service,
  account: TestAccount,
  scopes: readonly Scope[],
): Promise<string> {
  const answer = await post(service, '/api/v1/keys', { name: 'test', scopes }).set(
    bearer(account.accessToken),
  );
  expect(answer.status).toBe(201);
  return answer.body.token as string;
}

export async function anAccountWithoutPassword(service: Service): Promise<TestAccount> {
  const account = await anAccount(service);
  const database = await databaseOf(service);
  await database
    .collection('accounts')
    .updateOne({ email: account.email }, { $set: { password_hash: null } });
  await database.close();
  return account;
}

/** Request headers for all kinds of non-admin callers, by kind. */
export async function strangersToAdmins(
  service: Service,
  { admin, user }: { readonly admin: TestAccount; readonly user: TestAccount },
): Promise<Record<string, Record<string, string>>> {
  return {
    nobody: {},
    'a bad token': bearer('x.y.z'),
    'a bad cookie': { Cookie: 'access_token=x.y.z' },
    'a misplaced key': { 'X-API-Key': 'svc_x' },
    'an unverified account': bearer((await anAccount(service)).accessToken),
    'a user': bearer(user.accessToken),
    'a browser of a user': { Cookie: user.cookies },
    'a key of a user': bearer(await aKey(service, user, ['admin:all'])),
    'a key of an admin': bearer(await aKey(service, admin, ['admin:all'])),
  };
}
