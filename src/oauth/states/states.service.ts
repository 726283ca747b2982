import { createHmac, hkdfSync, randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { TokenOptions } from '../../config/options';
import type { ProviderName } from '../../config/sign-in-providers';
import { StateRefusedError } from '../providers/oauth.errors';
import type { Proof } from '../providers/oauth-provider';
import { newBinding } from './browser-binding';
import { type AttemptPurpose, type PendingAttempt, STATE_SECONDS } from './state';
import { StatesRepository } from './states.repository';

/** Derives the code verifier and nonce from the state and browser binding, which are not stored. */
@Injectable()
export class StatesService {
  private readonly key: Buffer;

  constructor(
    private readonly repository: StatesRepository,
    tokens: TokenOptions,
  ) {
    this.key = Buffer.from(hkdfSync('sha256', tokens.secret, '', 'curtail oauth attempts', 32));
  }

  /** Starts an attempt. A browser's tabs share a binding. */
  async begin(
    provider: ProviderName,
    purpose: AttemptPurpose,
    presented: string | null,
  ): Promise<{ readonly proof: Proof; readonly browser: string }> {
    const browser = presented ?? newBinding();
    const state = randomBytes(32).toString('base64url');
    const expiresAt = new Date(Date.now() + STATE_SECONDS * 1000);
    await this.repository.insert({ provider, state, browser }, purpose, expiresAt);
    return { proof: this.proof(state, browser), browser };
  }

  /** @throws StateRefusedError if this browser has no attempt with this state */
  async takeAttempt(
    provider: ProviderName,
    state: string | null,
    browser: string | null,
  ): Promise<PendingAttempt> {
    if (state === null || browser === null) throw new StateRefusedError();
    const purpose = await this.repository.takeAttempt({ provider, state, browser }, new Date());
    if (purpose === null) throw new StateRefusedError();
    return { ...purpose, proof: this.proof(state, browser) };
  }

  private proof(state: string, browser: string): Proof {
    const derive = (use: string) =>
      createHmac('sha256', this.key).update(`${use}:${state}:${browser}`).digest('base64url');
    return { state, codeVerifier: derive('verifier'), nonce: derive('nonce') };
  }
}
