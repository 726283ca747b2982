import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import request from 'supertest';
import type { Scope } from '../../src/auth/principal';
import { anAddress } from './client';
import { eventually } from './eventually';
import type { Service } from './service';

export interface TestAccount {
  readonly email: string;
  readonly password: string;
  readonly accessToken: string;
  readonly userId: string;
  /** `name=value` of both cookies, as a Cookie header. */
  readonly cookies: string;
}

export const STRONG_PASSWORD = 'Corr3ct-Horse';

export function anEmail(): string {
  return `user-${randomBytes(6).toString('hex')}@example.com`;
}

/** A POST with a JSON body, from a fresh address. */
export function post(service: Service, path: string, body?: object): request.Test {
  const call = request(service.url).post(path).set('X-Forwarded-For', anAddress());
  return body === undefined ? call : call.send(body);
}

export function bearer(token: string): Record<string, string> {
  return { Authorization: `Bearer ${token}` };
}

/** The cookies that an answer sets, as the Cookie header that a browser would send back. */
export function cookiesOf(answer: request.Response): string {
  const set = (answer.get('Set-Cookie') ?? []).map((line) => line.split(';')[0] ?? '');
  return set.join('; ');
}

/** The value of one cookie of a Cookie header. */
export function cookieValue(cookies: string, name: string): string {
  return new RegExp(`${name}=([^;]*)`).exec(cookies)?.[1] ?? '';
}

/** The claims of a token, unverified. */
export function claimsOf(token: string): Record<string, unknown> {
  const [, claims = ''] = token.split('.');
  return JSON.parse(Buffer.from(claims, 'base64url').toString()) as Record<string, unknown>;
}

/** An account that is signed in; its email is not verified. */
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

/** An account with a verified email, signed in with a token that says so. */
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

/** The text of a new API key of a verified account. */
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

/** The mails in the outbox to an address, oldest first. */
export function mailsTo(service: Service, email: string): string[] {
  const outbox = join(service.dataDir, 'outbox');
  try {
    return readdirSync(outbox)
      .filter((name) => name.endsWith('.eml'))
      .sort()
      .map((name) => readFileSync(join(outbox, name), 'utf8'))
      .filter((mail) => mail.includes(`\r\nTo: ${email}\r\n`));
  } catch {
    return [];
  }
}

/** The code in the newest mail to an address; waits for the `count`th such mail. */
export async function newestCode(service: Service, email: string, count = 1): Promise<string> {
  const codes = () => mailsTo(service, email).map((mail) => /^(\d{6})\r$/m.exec(mail)?.[1]);
  await eventually(() => codes().filter((code) => code !== undefined).length >= count);
  return codes().findLast((code) => code !== undefined) ?? '';
}
