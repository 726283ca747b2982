import { randomBytes } from 'node:crypto';
import { anEmail } from '../factories/accounts';
import type { UserResponse } from '../../../src/accounts/account/account.response';
import type { LinkedProvidersResponse } from '../../../src/oauth/oauth.response';
import {
  PROVIDER_NAMES,
  type ProviderName,
  type Setting,
  SIGN_IN_PROVIDERS,
} from '../../../src/config/sign-in-providers';
import { freePort, type Service, startService } from '../service';
import { Browser } from './browser';
import { CLIENTS, IdentityProvider, type Person } from './identity-provider';

export interface Realm {
  readonly service: Service;
  readonly provider: IdentityProvider;
  readonly site: string;
  stop(): Promise<void>;
}

export type Name = ProviderName;
export const NAMES = PROVIDER_NAMES;

export function providerSettings(issuer: string): Record<string, string> {
  const settings = NAMES.flatMap((name) => {
    const values: Partial<Record<Setting, string>> = {
      clientId: CLIENTS[name].id,
      clientSecret: CLIENTS[name].secret,
      issuer,
      authorizationUrl: `${issuer}/auth`,
      tokenUrl: `${issuer}/token`,
      userinfoUrl: `${issuer}/me`,
      title: 'Works <ID>',
    };
    const { variables } = SIGN_IN_PROVIDERS[name];
    return Object.entries<Setting>(variables).map(([variable, setting]) => [
      variable,
      values[setting],
    ]);
  });
  return Object.fromEntries(settings) as Record<string, string>;
}

export async function startRealm(env: Record<string, string> = {}): Promise<Realm> {
  const port = await freePort();
  const site = `http://localhost:${port}`;
  const provider = await IdentityProvider.start(site);
  const settings = { ...providerSettings(provider.issuer), ...env };
  const service = await startService({ port, env: settings });
  return {
    service,
    provider,
    site,
    stop: async () => {
      await service.stop();
      await provider.stop();
    },
  };
}

export async function aPerson(realm: Realm, input: Partial<Person> = {}): Promise<Person> {
  const person = {
    sub: `sub-${randomBytes(6).toString('hex')}`,
    email: anEmail(),
    email_verified: true,
    name: 'Ada Example',
    picture: 'https://pictures.example/ada.png',
    ...input,
  };
  await realm.provider.tell(person);
  return person;
}

export async function callbackOf(
  realm: Realm,
  browser: Browser,
  name: Name,
  person: Person,
  query = '',
): Promise<string> {
  const start = await browser.request(`${realm.site}/oauth/${name}${query}`);
  expect(start.status).toBe(302);
  return browser.visitProvider(start, person.sub);
}

export async function signIn(
  realm: Realm,
  name: Name,
  person: Person,
  browser = new Browser(),
): Promise<Response> {
  return browser.request(await callbackOf(realm, browser, name, person));
}

export async function link(
  realm: Realm,
  name: Name,
  person: Person,
  accessToken: string,
  browser = new Browser(),
): Promise<Response> {
  const start = await browser.request(`${realm.site}/oauth/${name}/link`, {
    headers: { Authorization: `Bearer ${accessToken}` },
  });
  expect(start.status).toBe(302);
  return browser.request(await browser.visitProvider(start, person.sub));
}

export type Body = { user: UserResponse; success: boolean } & LinkedProvidersResponse & {
    error: string;
    code: string;
  };

export async function read(
  realm: Realm,
  path: string,
  who: Browser | string,
): Promise<{ status: number; body: Body }> {
  const [browser, headers] =
    typeof who === 'string'
      ? [new Browser(), { Authorization: `Bearer ${who}` }]
      : [who, undefined];
  const answer = await browser.request(`${realm.site}${path}`, {
    headers: { Accept: 'application/json', ...headers },
  });
  return { status: answer.status, body: (await answer.json()) as Body };
}

export async function me(realm: Realm, who: Browser | string): Promise<UserResponse> {
  const { status, body } = await read(realm, '/auth/me', who);
  expect(status).toBe(200);
  return body.user;
}

export async function unlink(
  realm: Realm,
  name: string,
  browser: Browser,
): Promise<{ status: number; body: Body }> {
  const url = `${realm.site}/oauth/providers/${name}/unlink`;
  const answer = await browser.request(url, {
    method: 'DELETE',
    headers: { Origin: realm.site },
  });
  return { status: answer.status, body: (await answer.json()) as Body };
}

export function refusal(answer: Response): [number, string | null] {
  return [answer.status, answer.headers.get('X-Error-Code')];
}

export function claimsOf(browser: Browser): Record<string, unknown> {
  const token = browser.cookie('localhost', 'access_token') ?? '';
  return JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as Record<
    string,
    unknown
  >;
}
