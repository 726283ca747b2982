import type { HttpOptions } from '../../config/options';
import { readSettings } from '../../config/settings';
import { PROVIDER_GROUPS, PROVIDER_NAMES } from '../../config/sign-in-providers';
import { UnknownProviderError } from './oauth.errors';
import { OauthProviders } from './oauth-provider';

const PROOF = { state: 'state', codeVerifier: 'verifier', nonce: 'nonce' };
const everything = PROVIDER_GROUPS.flat().map((name) => [name, 'https://id.test'] as const);
const { oauth } = readSettings(Object.fromEntries(everything));
const providers = new OauthProviders(oauth, { baseUrl: 'https://short.test' } as HttpOptions);

describe('The configured sign-in providers', () => {
  it('are those in the table, each with an implementation', async () => {
    expect(providers.names).toEqual(PROVIDER_NAMES);
    for (const settings of oauth.providers) {
      const implementation: unknown = await import(`./${settings.implementation}`);
      expect(implementation).toHaveProperty('default.prototype.authorizationUrl');
      expect(implementation).toHaveProperty('default.prototype.profile');
    }
  });

  it('can be found by name', () => {
    expect(providers.findTitle('google')).toBe('Google');
    expect(providers.findTitle('elsewhere')).toBe('elsewhere');
    expect(() => providers.demand('elsewhere')).toThrow(UnknownProviderError);
  });

  it('redirect the browser to Google with a state, a nonce and a PKCE challenge', async () => {
    const url = new URL(await providers.demand('google').authorizationUrl(PROOF));
    expect(url.origin + url.pathname).toBe('https://accounts.google.com/o/oauth2/v2/auth');
    expect(Object.fromEntries(url.searchParams)).toEqual({
      response_type: 'code',
      client_id: 'https://id.test',
      redirect_uri: 'https://short.test/oauth/google/callback',
      scope: 'openid email profile',
      state: 'state',
      nonce: 'nonce',
      code_challenge: 'iMnq5o6zALKXGivsnlom_0F5_WYda32GHkxlV7mq7hQ',
      code_challenge_method: 'S256',
    });
  });
});
