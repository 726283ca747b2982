import type { OutgoingHttpHeaders } from 'node:http';
import type { Request } from 'express';
import { Strategy } from 'passport-google-oauth20';
import type { GoogleOptions } from '../../config/options';
import { challengeOf, type Proof, PROVIDER_MS, SCOPES } from './oauth-provider';

/** What the `oauth` package hands back: an Error, or the status and body of a refusal. */
type Done = (error: Error | { statusCode: number; data: string } | null, body?: string) => void;

/**
 * Stands in for the `oauth` package's own request, which waits for ever, follows what it should
 * not and lets a body of `null` take the process down. The answer is a JSON object, within time.
 */
export function providerRequest(
  method: string,
  url: string,
  headers: OutgoingHttpHeaders,
  body: string,
  _accessToken: null,
  done: Done,
): void {
  ask(method, url, headers, body).then(
    ({ status, text }) => {
      if (status !== 200) done({ statusCode: status, data: text });
      else if (!isJsonObject(text)) done(new Error('The answer is no JSON object'));
      else done(null, text);
    },
    (error: unknown) => done(error instanceof Error ? error : new Error('The request failed')),
  );
}

async function ask(
  method: string,
  url: string,
  headers: OutgoingHttpHeaders,
  body: string,
): Promise<{ status: number; text: string }> {
  const answer = await fetch(url, {
    method,
    headers: { ...(headers as Record<string, string>), Accept: 'application/json' },
    body: body === '' ? undefined : body,
    redirect: 'error',
    signal: AbortSignal.timeout(PROVIDER_MS),
  });
  return { status: answer.status, text: await answer.text() };
}

function isJsonObject(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}

/** How a strategy ends: it sends the browser away, or knows who it is. */
export type Outcome =
  | { readonly kind: 'redirect'; readonly url: string }
  | { readonly kind: 'claims'; readonly claims: Readonly<Record<string, unknown>> };

/**
 * Runs a passport strategy once, as passport's own middleware does: on a copy that has the methods
 * by which it tells its outcome. Sessions and Express have no part in it.
 *
 * @param query empty to start, `{ code }` to finish
 */
export function runStrategy(
  strategy: Strategy,
  query: Readonly<Record<string, string>>,
  proof: Proof,
): Promise<Outcome> {
  return new Promise((resolve, reject) => {
    const run = Object.assign(Object.create(strategy) as Strategy, {
      redirect: (url: string) => resolve({ kind: 'redirect', url }),
      success: (claims: Readonly<Record<string, unknown>>) => resolve({ kind: 'claims', claims }),
      fail: () => reject(new Error('The provider refused')),
      error: (error: Error) => reject(error),
    });
    run.authenticate({ query } as unknown as Request, proof);
  });
}

/**
 * Passport's Google strategy as we use it: the proof of an attempt comes with the options of
 * `authenticate`, the access token travels in a header, and requests end in time.
 */
export class GoogleStrategy extends Strategy {
  constructor(options: GoogleOptions, redirectUri: string) {
    super(
      {
        clientID: options.clientId,
        clientSecret: options.clientSecret,
        callbackURL: redirectUri,
        scope: SCOPES,
        authorizationURL: options.authorizationUrl ?? undefined,
        tokenURL: options.tokenUrl ?? undefined,
        userProfileURL: options.userinfoUrl ?? undefined,
      },
      (_accessToken, _refreshToken, profile, done) => {
        done(null, profile._json);
      },
    );
    // Standard claims, however the address of an override ends.
    Object.assign(this, { _userProfileFormat: 'openid' });
    this._oauth2.useAuthorizationHeaderforGET(true);
    Object.assign(this._oauth2, { _request: providerRequest });
  }

  override authorizationParams(proof: Proof): object {
    return {
      nonce: proof.nonce,
      code_challenge: challengeOf(proof.codeVerifier),
      code_challenge_method: 'S256',
    };
  }

  override tokenParams(proof: Proof): object {
    return { code_verifier: proof.codeVerifier };
  }
}
