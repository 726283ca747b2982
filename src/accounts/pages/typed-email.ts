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
import { readEmail } from '../account/account-email';
import { CODE_SECONDS } from '../codes/code.schema';

const EMAIL_COOKIE = 'reset_email';

export class OnwardWithEmail {
  readonly statusCode = 303;

  constructor(
    readonly url: string,
    readonly email: string,
  ) {}
}

export const TypedEmail = createParamDecorator((_: unknown, context: ExecutionContext) => {
  const value = readCookie(context.switchToHttp().getRequest<Request>(), EMAIL_COOKIE) ?? '';
  return readEmail(Buffer.from(value, 'base64url').toString()) ?? undefined;
});

/** Stores the email address in a cookie, because URLs appear in browser histories and logs. */
@Injectable()
export class KeepsTypedEmail implements NestInterceptor {
  constructor(private readonly http: HttpOptions) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const response = context.switchToHttp().getResponse<Response>();
    return next.handle().pipe(
      map((answer: unknown) => {
        if (answer instanceof OnwardWithEmail) this.keep(answer.email, response);
        return answer;
      }),
    );
  }

  private keep(email: string, response: Response): void {
    response.cookie(EMAIL_COOKIE, Buffer.from(email).toString('base64url'), {
      maxAge: CODE_SECONDS * 1000,
      httpOnly: true,
      secure: this.http.cookieSecure,
      sameSite: 'lax',
      path: '/login',
    });
  }
}
