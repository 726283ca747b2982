import { createHmac, hkdfSync, randomBytes } from 'node:crypto';
import {
  type CallHandler,
  createParamDecorator,
  type ExecutionContext,
  Injectable,
  type NestInterceptor,
} from '@nestjs/common';
import type { Request, Response } from 'express';
import { map, type Observable } from 'rxjs';
import { HttpOptions, TokenOptions } from '../../config/options';
import type { ProviderName } from '../../config/sign-in-providers';
import { readCookie } from '../../auth/cookies';
import { StateRefusedError } from '../providers/oauth.errors';
import type { Proof } from '../providers/oauth-provider';
import { type AttemptPurpose, type PendingAttempt, STATE_SECONDS } from './state';
import { StatesRepository } from './states.repository';

const BINDING_FORM = /^[A-Za-z0-9_-]{43}$/;

function newBinding(): string {
  return randomBytes(32).toString('base64url');
}

export class StartedAttempt {
  constructor(
    readonly url: string,
    readonly browser: string,
  ) {}
}

const presented = new WeakMap<Request, string>();

export const CurrentBrowser = createParamDecorator(
  (_: unknown, context: ExecutionContext) =>
    presented.get(context.switchToHttp().getRequest<Request>()) ?? null,
);

@Injectable()
export class BrowserBinding implements NestInterceptor {
  private readonly name: string;

  constructor(private readonly http: HttpOptions) {
    // The prefix prevents sites on subdomains from setting this cookie.
    this.name = http.cookieSecure ? '__Host-oauth_browser' : 'oauth_browser';
  }

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const request = context.switchToHttp().getRequest<Request>();
    const binding = readCookie(request, this.name);
    if (binding !== null && BINDING_FORM.test(binding)) presented.set(request, binding);
    const response = context.switchToHttp().getResponse<Response>();
    return next.handle().pipe(
      map((answer: unknown) => {
        if (answer instanceof StartedAttempt) this.keep(answer.browser, response);
        return answer;
      }),
    );
  }

  private keep(binding: string, response: Response): void {
    response.cookie(this.name, binding, {
      maxAge: STATE_SECONDS * 1000,
      httpOnly: true,
      secure: this.http.cookieSecure,
      // Lax instead of Strict, because the provider redirects from another site.
      sameSite: 'lax',
      path: '/',
    });
  }
}

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
