import type { Oauth2Settings } from '../../config/sign-in-providers';
import { challengeOf, type OauthProvider, type Proof, PROVIDER_MS } from './oauth-provider';
import { type ProviderProfile, profileFrom } from './provider-profile';

type Claims = Readonly<Record<string, unknown>>;

/**
 * How the standard claims of a provider's user are read.
 *
 * @param read fetches the JSON of an endpoint with the user's access token
 */
type ClaimsReader = (read: (url: string) => Promise<unknown>, userUrl: string) => Promise<Claims>;

const READERS: Readonly<Record<Oauth2Settings['name'], ClaimsReader>> = {
  google: async (read, userUrl) => objectOf(await read(userUrl)),
};

/** A provider of plain OAuth 2 (RFC 6749, code flow with PKCE). */
export class Oauth2Provider implements OauthProvider {
  readonly name: Oauth2Settings['name'];
  readonly title: string;

  constructor(
    private readonly settings: Oauth2Settings,
    private readonly redirectUri: string,
  ) {
    ({ name: this.name, title: this.title } = settings);
  }

  authorizationUrl(proof: Proof): Promise<string> {
    const { authorizationUrl, clientId, scope } = this.settings;
    const url = new URL(authorizationUrl);
    const parameters = {
      response_type: 'code',
      client_id: clientId,
      redirect_uri: this.redirectUri,
      scope,
      state: proof.state,
      nonce: proof.nonce,
      code_challenge: challengeOf(proof.codeVerifier),
      code_challenge_method: 'S256',
    };
    for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
    return Promise.resolve(url.href);
  }

  async profile(answer: URLSearchParams, proof: Proof): Promise<ProviderProfile> {
    const accessToken = await this.exchange(answer.get('code') ?? '', proof);
    const headers = { Authorization: `Bearer ${accessToken}` };
    const readClaims = READERS[this.name];
    return profileFrom(
      await readClaims((url) => fetchJson(url, { headers }), this.settings.userinfoUrl),
    );
  }

  private async exchange(code: string, proof: Proof): Promise<string> {
    const { clientId, clientSecret, tokenUrl } = this.settings;
    const body = new URLSearchParams({
      grant_type: 'authorization_code',
      code,
      redirect_uri: this.redirectUri,
      client_id: clientId,
      client_secret: clientSecret,
      code_verifier: proof.codeVerifier,
    });
    const { access_token: token } = objectOf(await fetchJson(tokenUrl, { method: 'POST', body }));
    if (typeof token !== 'string' || token === '') throw new Error('There is no access token');
    return token;
  }
}

/** The JSON of an endpoint of the provider, within time. */
async function fetchJson(url: string, request: RequestInit): Promise<unknown> {
  const answer = await fetch(url, {
    ...request,
    headers: { ...(request.headers as Record<string, string>), Accept: 'application/json' },
    redirect: 'error',
    signal: AbortSignal.timeout(PROVIDER_MS),
  });
  const text = await answer.text();
  if (answer.status !== 200) throw new Error(`The endpoint answered ${answer.status}`);
  try {
    return JSON.parse(text);
  } catch {
    // The parser's own error would quote the text in the log.
    throw new Error('The endpoint answered no JSON');
  }
}

function objectOf(value: unknown): Claims {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Claims;
  throw new Error('The endpoint answered no JSON object');
}
