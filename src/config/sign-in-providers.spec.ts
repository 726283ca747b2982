import { readSettings } from './settings';

const GOOGLE = { GOOGLE_CLIENT_ID: 'g', GOOGLE_CLIENT_SECRET: 'secret' };
const OIDC = { OIDC_ISSUER: 'https://id.test', OIDC_CLIENT_ID: 'o', OIDC_CLIENT_SECRET: 'secret' };
const providersIn = (env: Record<string, string>) => readSettings(env).oauth.providers;

describe('The sign-in providers of an environment', () => {
  it('are returned in the order of the table', () => {
    expect(providersIn({})).toEqual([]);
    expect(providersIn(OIDC).map(({ name }) => name)).toEqual(['oidc']);
    expect(providersIn({ ...OIDC, ...GOOGLE }).map(({ name }) => name)).toEqual(['google', 'oidc']);
  });

  it('use the configured values, and defaults for absent ones', () => {
    const [google] = providersIn({ ...GOOGLE, GOOGLE_TOKEN_URL: 'https://token.test/' });
    expect(google).toEqual({
      name: 'google',
      implementation: 'google.provider',
      title: 'Google',
      clientId: 'g',
      clientSecret: 'secret',
      scope: 'openid email profile',
      authorizationUrl: 'https://accounts.google.com/o/oauth2/v2/auth',
      tokenUrl: 'https://token.test/',
      userinfoUrl: 'https://www.googleapis.com/oauth2/v3/userinfo',
    });
    expect(providersIn(OIDC)).toMatchObject([{ title: 'OpenID Connect' }]);
    expect(providersIn({ ...OIDC, OIDC_NAME: 'Works' })).toMatchObject([{ title: 'Works' }]);
  });

  it('are not created if only a name or an address is set', () => {
    expect(providersIn({ OIDC_NAME: 'Works', GOOGLE_TOKEN_URL: 'https://token.test/' })).toEqual(
      [],
    );
  });
});
