import {
  type CallHandler,
  type CanActivate,
  createParamDecorator,
  type ExecutionContext,
  Injectable,
  type NestInterceptor,
} from '@nestjs/common';
import type { CookieOptions, Request, Response } from 'express';
import { catchError, map, type Observable } from 'rxjs';
import { OriginRefusedError } from '../../auth/access.errors';
import { clientFromRequest } from '../../auth/access';
import {
  ACCESS_COOKIE,
  DEVICE_COOKIE,
  mayActWithCookie,
  readCookie,
  REFRESH_COOKIE,
} from '../../auth/cookies';
import { ACCESS_SECONDS, REFRESH_SECONDS } from '../../auth/tokens';
import { HttpOptions } from '../../config/options';
import { RefreshRefusedError } from '../account/accounts.errors';
import { DEVICE_SECONDS } from './device-cookies';
import { type OpenedSession, SessionAnswer, type SignInOrigin } from './session';

/** A cookie has only one path, so the service sets one for the API and one for the sign-in page. */
const DEVICE_PATHS = ['/auth', '/login'] as const;

export const RefreshToken = createParamDecorator((_: unknown, context: ExecutionContext) =>
  readCookie(context.switchToHttp().getRequest<Request>(), REFRESH_COOKIE),
);

export const CurrentOrigin = createParamDecorator(
  (_: unknown, context: ExecutionContext): SignInOrigin => {
    const request = context.switchToHttp().getRequest<Request>();
    return {
      client: clientFromRequest(request),
      userAgent: request.headers['user-agent'] ?? '',
      refreshToken: readCookie(request, REFRESH_COOKIE),
      device: readCookie(request, DEVICE_COOKIE),
    };
  },
);

/** Rejects refreshes triggered by other sites (docs/contract.md#3.4). */
@Injectable()
export class RefreshOriginGuard implements CanActivate {
  constructor(private readonly http: HttpOptions) {}

  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<Request>();
    const isPresented = readCookie(request, REFRESH_COOKIE) !== null;
    if (isPresented && !mayActWithCookie(request, this.http)) throw new OriginRefusedError();
    return true;
  }
}

/** Sets the session cookies (docs/contract.md#3.4), or clears them if a refresh is rejected. */
@Injectable()
export class SessionCookies implements NestInterceptor {
  constructor(private readonly http: HttpOptions) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const response = context.switchToHttp().getResponse<Response>();
    return next.handle().pipe(
      map((answer: unknown) => {
        if (!(answer instanceof SessionAnswer)) return answer;
        this.put(response, answer.session);
        return answer.body as unknown;
      }),
      catchError((error: unknown) => {
        if (error instanceof RefreshRefusedError) this.put(response, null);
        throw error;
      }),
    );
  }

  private put(response: Response, session: OpenedSession | null): void {
    const set = (name: string, value: string, seconds: number, path = '/') =>
      response.cookie(name, value, {
        maxAge: seconds * 1000,
        httpOnly: true,
        secure: this.http.cookieSecure,
        sameSite: 'lax',
        path,
      } satisfies CookieOptions);
    set(ACCESS_COOKIE, session?.accessToken ?? '', session === null ? 0 : ACCESS_SECONDS);
    set(REFRESH_COOKIE, session?.refreshToken ?? '', session === null ? 0 : REFRESH_SECONDS);
    if (session?.device == null) return;
    for (const path of DEVICE_PATHS) set(DEVICE_COOKIE, session.device, DEVICE_SECONDS, path);
  }
}
