import { z } from 'zod';
import { issuerUrl, webUrl } from './web-urls';

interface CommonSettings {
  /** A file in src/oauth/providers whose default export implements the provider. */
  readonly implementation: string;
  readonly title: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly scope: string;
}

export interface Oauth2Settings extends CommonSettings {
  readonly name: Exclude<ProviderName, 'oidc'>;
  readonly authorizationUrl: string;
  readonly tokenUrl: string;
  readonly userinfoUrl: string;
}

export interface OidcSettings extends CommonSettings {
  readonly name: 'oidc';
  readonly issuer: string;
}

export type SignInProvider = Oauth2Settings | OidcSettings;

export type Setting = Exclude<keyof Oauth2Settings | keyof OidcSettings, 'name' | 'implementation'>;

interface ProviderEntry {
  readonly implementation: SignInProvider['implementation'];
  /** Settings by variable name. Variables without a default must be set together. */
  readonly variables: Readonly<Record<string, Setting>>;
  readonly defaults: Readonly<Partial<Record<Setting, string>> & { title: string; scope: string }>;
}

/** Providers by the name in their paths, which is also an `amr` value (docs/contract.md#3.3). */
export const SIGN_IN_PROVIDERS = {
  google: {
    implementation: 'google.provider',
    variables: {
      GOOGLE_CLIENT_ID: 'clientId',
      GOOGLE_CLIENT_SECRET: 'clientSecret',
      GOOGLE_AUTHORIZATION_URL: 'authorizationUrl',
      GOOGLE_TOKEN_URL: 'tokenUrl',
      GOOGLE_USERINFO_URL: 'userinfoUrl',
    },
    defaults: {
      title: 'Google',
      scope: 'openid email profile',
      authorizationUrl: 'https://accounts.google.com/o/oauth2/v2/auth',
      tokenUrl: 'https://www.googleapis.com/oauth2/v4/token',
      userinfoUrl: 'https://www.googleapis.com/oauth2/v3/userinfo',
    },
  },
  oidc: {
    implementation: 'oidc.provider',
    variables: {
      OIDC_ISSUER: 'issuer',
      OIDC_CLIENT_ID: 'clientId',
      OIDC_CLIENT_SECRET: 'clientSecret',
      OIDC_NAME: 'title',
    },
    defaults: { title: 'OpenID Connect', scope: 'openid email profile' },
  },
} as const satisfies Record<string, ProviderEntry>;

type Providers = typeof SIGN_IN_PROVIDERS;
export type ProviderName = keyof Providers;
type Variable = { [N in ProviderName]: keyof Providers[N]['variables'] }[ProviderName];
type Secret = Extract<Variable, `${string}_SECRET`>;

const ENTRIES = Object.entries<ProviderEntry>(SIGN_IN_PROVIDERS);
export const PROVIDER_NAMES = Object.keys(SIGN_IN_PROVIDERS) as ProviderName[];
export const PROVIDER_TITLES = ENTRIES.map(([, { defaults }]) => defaults.title);

const settingText = z.string();
const FORMS: Readonly<Partial<Record<Setting, typeof settingText>>> = {
  issuer: issuerUrl,
  authorizationUrl: webUrl,
  tokenUrl: webUrl,
  userinfoUrl: webUrl,
};
const settingForm = (setting: Setting) =>
  (FORMS[setting] ?? settingText).optional().transform((value) => value ?? null);

function forms(
  isWanted: (setting: Setting) => boolean,
): Record<string, ReturnType<typeof settingForm>> {
  const all = ENTRIES.flatMap(([, { variables }]) => Object.entries(variables));
  const wanted = all.filter(([, setting]) => isWanted(setting));
  return Object.fromEntries(wanted.map(([variable, setting]) => [variable, settingForm(setting)]));
}

type Forms<V extends Variable> = Readonly<Record<V, ReturnType<typeof settingForm>>>;
export const PROVIDER_SECRETS = forms((setting) => setting === 'clientSecret') as Forms<Secret>;
export const PROVIDER_VARIABLES = forms((setting) => setting !== 'clientSecret') as Forms<
  Exclude<Variable, Secret>
>;

export const PROVIDER_GROUPS = ENTRIES.map(([, { variables, defaults }]) =>
  Object.entries(variables)
    .filter(([, setting]) => !(setting in defaults))
    .map(([variable]) => variable as Variable),
);

/** Returns configured providers. The schema has checked that their settings are complete. */
export function signInProviders(
  variables: Readonly<Record<Variable, string | null>>,
): readonly SignInProvider[] {
  const all = ENTRIES.map(([name, entry]) => {
    const { implementation, defaults } = entry;
    const settings: Record<string, string> = { name, implementation, ...defaults };
    for (const [variable, setting] of Object.entries(entry.variables)) {
      const value = variables[variable as Variable];
      if (value !== null) settings[setting] = value;
    }
    return Object.freeze(settings as unknown as SignInProvider);
  });
  return Object.freeze(all.filter((settings) => 'clientId' in settings));
}
