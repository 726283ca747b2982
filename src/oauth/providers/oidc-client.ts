import type { ClientAuth, Configuration } from 'openid-client';
import type { OidcSettings } from '../../config/sign-in-providers';
import { PROVIDER_MS } from './oauth-provider';

type Library = typeof import('openid-client');

export interface OidcConnection {
  readonly library: Library;
  readonly configuration: Configuration;
}

/** Discovers the issuer on the first sign-in. Retries after a failure. */
export class OidcClient {
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
