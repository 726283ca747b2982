import type { Request } from 'express';
import { Strategy } from 'passport-google-oauth20';
import type { Oauth2Settings } from '../../config/sign-in-providers';
import { codeChallenge, type Proof, PROVIDER_MS } from './oauth-provider';
import type { Claims } from './provider-profile';

export type StrategyOutcome =
  | { readonly kind: 'redirect'; readonly url: string }
  | { readonly kind: 'claims'; readonly claims: Claims };

/**
 * Runs a copy of a strategy and returns its outcome, without sessions and Express.
 * @param query empty to start, `{ code }` to finish
 */
export function runStrategy(
  strategy: Strategy,
  query: Readonly<Record<string, string>>,
  proof: Proof,
): Promise<StrategyOutcome> {
  return new Promise((resolve, reject) => {
    const run = Object.assign(Object.create(strategy) as Strategy, {
      redirect: (url: string) => resolve({ kind: 'redirect', url }),
      success: (claims: Claims) => resolve({ kind: 'claims', claims }),
      fail: () => reject(new Error('The provider refused')),
      error: (error: Error) => reject(error),
    });
    run.authenticate({ query } as unknown as Request, proof);
  });
}

/** Replaces the base class's code exchange, which has no timeout and may crash (ADR 10). */
export class GoogleStrategy extends Strategy {
  constructor(
    private readonly settings: Oauth2Settings,
    private readonly redirectUri: string,
  ) {
    super(
      {
        clientID: settings.clientId,
        clientSecret: settings.clientSecret,
        callbackURL: redirectUri,
        scope: settings.scope,
        authorizationURL: settings.authorizationUrl,
      },
      // The base class would call this with the profile.
      () => undefined,
    );
  }

  /** @param proof passed as an option, like `state` */
  override authenticate(request: Request, proof: Proof): void {
    const { code } = request.query;
    if (typeof code !== 'string') {
      super.authenticate(request, proof);
      return;
    }
    this.exchange(code, proof)
      .then((accessToken) => {
        this.userProfile(accessToken, (error, claims) => {
          if (error) this.error(error);
          else this.success(claims as Claims);
        });
      })
      .catch((error: unknown) => this.error(error));
  }

  override authorizationParams(proof: Proof): object {
    return {
      nonce: proof.nonce,
      code_challenge: codeChallenge(proof.codeVerifier),
      code_challenge_method: 'S256',
    };
  }

  override userProfile(
    accessToken: string,
    done: (error?: unknown, claims?: unknown) => void,
  ): void {
    fetchObject(this.settings.userinfoUrl, {
      headers: { Authorization: `Bearer ${accessToken}` },
    }).then(
      (claims) => done(null, claims),
      (error: unknown) => done(error),
    );
  }

  private async exchange(code: string, proof: Proof): Promise<string> {
    const { clientId, clientSecret, tokenUrl } = this.settings;
    const form = new URLSearchParams({
      grant_type: 'authorization_code',
      code,
      redirect_uri: this.redirectUri,
      client_id: clientId,
      client_secret: clientSecret,
      code_verifier: proof.codeVerifier,
    });
    const { access_token: token } = await fetchObject(tokenUrl, { method: 'POST', body: form });
    if (typeof token !== 'string' || token === '') throw new Error('There is no access token');
    return token;
  }
}

async function fetchObject(url: string, request: RequestInit): Promise<Claims> {
  const answer = await fetch(url, {
    ...request,
    headers: { ...(request.headers as Record<string, string>), Accept: 'application/json' },
    redirect: 'error',
    signal: AbortSignal.timeout(PROVIDER_MS),
  });
  const text = await answer.text();
  if (answer.status !== 200) throw new Error(`The endpoint returned ${answer.status}`);
  const value = parseJson(text);
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Claims;
  throw new Error('The endpoint returned no JSON object');
}

/** Throws no parser error, because the log would then quote the text. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
