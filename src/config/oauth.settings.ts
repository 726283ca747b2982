import { GoogleOptions, OauthOptions, OidcOptions } from './options';
import { ConfigurationError, Environment, text, url } from './readers';

/** Sign-in providers (contract 16); each is offered only when it is configured whole. */
export function readOauth(env: Environment): OauthOptions {
  return Object.freeze({ google: google(env), oidc: oidc(env) });
}

function google(env: Environment): GoogleOptions | null {
  const [clientId, clientSecret] = [
    text(env, 'GOOGLE_CLIENT_ID'),
    text(env, 'GOOGLE_CLIENT_SECRET'),
  ];
  const authorizationUrl = url(env, 'GOOGLE_AUTHORIZATION_URL', ['http', 'https']);
  const tokenUrl = url(env, 'GOOGLE_TOKEN_URL', ['http', 'https']);
  const userinfoUrl = url(env, 'GOOGLE_USERINFO_URL', ['http', 'https']);
  if (clientId === null && clientSecret === null) return null;
  if (clientId === null)
    throw new ConfigurationError(
      'GOOGLE_CLIENT_ID',
      undefined,
      'must be set when GOOGLE_CLIENT_SECRET is',
    );
  if (clientSecret === null)
    throw new ConfigurationError(
      'GOOGLE_CLIENT_SECRET',
      undefined,
      'must be set when GOOGLE_CLIENT_ID is',
    );
  return Object.freeze({ clientId, clientSecret, authorizationUrl, tokenUrl, userinfoUrl });
}

function oidc(env: Environment): OidcOptions | null {
  const issuer = url(env, 'OIDC_ISSUER', ['http', 'https']);
  const [clientId, clientSecret] = [text(env, 'OIDC_CLIENT_ID'), text(env, 'OIDC_CLIENT_SECRET')];
  if (issuer === null && clientId === null && clientSecret === null) return null;
  if (issuer === null)
    throw new ConfigurationError('OIDC_ISSUER', undefined, 'must be set when OIDC_CLIENT_ID is');
  if (clientId === null)
    throw new ConfigurationError('OIDC_CLIENT_ID', undefined, 'must be set when OIDC_ISSUER is');
  if (clientSecret === null)
    throw new ConfigurationError(
      'OIDC_CLIENT_SECRET',
      undefined,
      'must be set when OIDC_ISSUER is',
    );
  return Object.freeze({
    issuer,
    clientId,
    clientSecret,
    name: text(env, 'OIDC_NAME') ?? 'OpenID Connect',
  });
}
