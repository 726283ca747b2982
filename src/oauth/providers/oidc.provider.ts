import type { OidcSettings } from '../../config/sign-in-providers';
import { codeChallenge, type OauthProtocol, type Proof } from './oauth-provider';
import { OidcClient, type OidcConnection } from './oidc-client';
import { type Claims, type ProviderProfile, profileFrom } from './provider-profile';

export default class OidcProtocol implements OauthProtocol {
  private readonly client: OidcClient;

  constructor(
    private readonly settings: OidcSettings,
    private readonly redirectUri: string,
  ) {
    this.client = new OidcClient(settings);
  }

  async authorizationUrl(proof: Proof): Promise<string> {
    const { library, configuration } = await this.client.connect();
    const url = library.buildAuthorizationUrl(configuration, {
      redirect_uri: this.redirectUri,
      scope: this.settings.scope,
      state: proof.state,
      nonce: proof.nonce,
      code_challenge: codeChallenge(proof.codeVerifier),
      code_challenge_method: 'S256',
    });
    return url.href;
  }

  async profile(answer: URLSearchParams, proof: Proof): Promise<ProviderProfile> {
    const connection = await this.client.connect();
    const { library, configuration } = connection;
    const callback = new URL(this.redirectUri);
    callback.search = answer.toString();
    const tokens = await library.authorizationCodeGrant(configuration, callback, {
      pkceCodeVerifier: proof.codeVerifier,
      expectedState: proof.state,
      expectedNonce: proof.nonce,
      idTokenExpected: true,
    });
    const claims = tokens.claims();
    if (claims === undefined) throw new Error('There is no ID token');
    return profileFrom({
      ...(await completeClaims(connection, claims, tokens.access_token)),
      // `sub` is unique only per issuer, and the operator may change the issuer.
      sub: `${claims.iss} ${claims.sub}`,
    });
  }
}

async function completeClaims(
  { library, configuration }: OidcConnection,
  claims: Claims & { readonly sub: string },
  accessToken: string,
): Promise<Claims> {
  const hasEndpoint = configuration.serverMetadata().userinfo_endpoint !== undefined;
  const isWhole = claims.email !== undefined && claims.name !== undefined;
  if (isWhole || !hasEndpoint) return claims;
  const info: Claims = await library.fetchUserInfo(configuration, accessToken, claims.sub);
  // The address and its verification must come from the same source.
  const { email, email_verified } = claims.email === undefined ? info : claims;
  return { ...info, ...claims, email, email_verified };
}
