import type { ClientAuth, Configuration } from 'openid-client';
import type { OidcSettings } from '../../config/sign-in-providers';
import {
  type Claims,
  codeChallenge,
  type OauthProtocol,
  profileFrom,
  type Proof,
  PROVIDER_MS,
  type ProviderProfile,
} from './oauth-provider';

type Library = typeof import('openid-client');

interface OidcConnection {
  readonly library: Library;
  readonly configuration: Configuration;
}

/** Discovers the issuer on the first sign-in. Retries after a failure. */
class OidcClient {
  private connection?: Promise<OidcConnection>;

  constructor(private readonly settings: OidcSettings) {}

  connect(): Promise<OidcConnection> {
    this.connection ??= this.discover().catch((error: unknown) => {
      this.connection = undefined;
      throw error;
    });
    return this.connection;
  }

  private async discover(): Promise<OidcConnection> {
    const { clientId, clientSecret } = this.settings;
    const issuer = new URL(this.settings.issuer);
    const library = await import('openid-client');
    // eslint-disable-next-line @typescript-eslint/no-deprecated -- the operator chose http
    const insecure = issuer.protocol === 'http:' ? [library.allowInsecureRequests] : [];
    const auth = clientAuth(library, clientSecret);
    const configuration = await library.discovery(issuer, clientId, clientSecret, auth, {
      timeout: PROVIDER_MS / 1000,
      // Without enableNonRepudiationChecks, ID token signatures are not verified.
      execute: [...insecure, library.enableNonRepudiationChecks],
    });
    return { library, configuration };
  }
}

/** Uses Basic, the standard's default, unless the provider accepts secrets only in forms. */
function clientAuth(library: Library, secret: string): ClientAuth {
  const [basic, post] = [library.ClientSecretBasic(secret), library.ClientSecretPost(secret)];
  return (server, client, body, headers) => {
    const methods = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
    const chosen = methods.includes('client_secret_basic') ? basic : post;
    chosen(server, client, body, headers);
  };
}

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
