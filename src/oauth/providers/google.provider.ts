import type { Request } from 'express';
import { Strategy } from 'passport-google-oauth20';
import type { Oauth2Settings } from '../../config/sign-in-providers';
import {
  type Claims,
  codeChallenge,
  type OauthProtocol,
  profileFrom,
  type Proof,
  PROVIDER_MS,
  type ProviderProfile,
} from './oauth-provider';

class GoogleStrategy extends Strategy {
  /** @param proof passed as an option, like `state` */
  override authorizationParams(proof: Proof): object {
    return {
      nonce: proof.nonce,
      code_challenge: codeChallenge(proof.codeVerifier),
      code_challenge_method: 'S256',
    };
  }
}

/** Replaces the strategy's code exchange, which has no timeout and may crash (ADR 10). */
export default class GoogleProtocol implements OauthProtocol {
  private readonly strategy: Strategy;

  constructor(
    private readonly settings: Oauth2Settings,
    private readonly redirectUri: string,
  ) {
    this.strategy = new GoogleStrategy(
      {
        clientID: settings.clientId,
        clientSecret: settings.clientSecret,
        callbackURL: redirectUri,
        scope: settings.scope,
        authorizationURL: settings.authorizationUrl,
      },
      () => undefined,
    );
  }

  /** Runs a copy of the strategy, without sessions and Express. */
  authorizationUrl(proof: Proof): Promise<string> {
    return new Promise((resolve, reject) => {
      const run = Object.assign(Object.create(this.strategy) as Strategy, {
        redirect: resolve,
        error: reject,
      });
      run.authenticate({ query: {} } as unknown as Request, proof);
    });
  }

  async profile(answer: URLSearchParams, proof: Proof): Promise<ProviderProfile> {
    const { clientId, clientSecret, tokenUrl, userinfoUrl } = this.settings;
    const form = new URLSearchParams({
      grant_type: 'authorization_code',
      code: answer.get('code') ?? '',
      redirect_uri: this.redirectUri,
      client_id: clientId,
      client_secret: clientSecret,
      code_verifier: proof.codeVerifier,
    });
    const { access_token: token } = await fetchObject(tokenUrl, { method: 'POST', body: form });
    if (typeof token !== 'string' || token === '') throw new Error('There is no access token');
    const headers = { Authorization: `Bearer ${token}` };
    return profileFrom(await fetchObject(userinfoUrl, { headers }));
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
