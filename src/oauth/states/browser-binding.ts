import { randomBytes } from 'node:crypto';
import {
  type CallHandler,
  createParamDecorator,
  type ExecutionContext,
  Injectable,
  type NestInterceptor,
} from '@nestjs/common';
import type { Request, Response } from 'express';
import { map, type Observable } from 'rxjs';
import { readCookie } from '../../auth/cookies';
import { HttpOptions } from '../../config/options';
import { STATE_SECONDS } from './state';

const BINDING_FORM = /^[A-Za-z0-9_-]{43}$/;

export function newBinding(): string {
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
