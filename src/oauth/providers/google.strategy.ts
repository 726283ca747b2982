import { Strategy } from 'passport-google-oauth20';
import type { GoogleOptions } from '../../config/options';
import { challengeOf } from './code-challenge';
import { type Proof, SCOPES } from './oauth-provider';
import { providerRequest } from './provider-request';

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
