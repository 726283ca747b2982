import { CallHandler, ExecutionContext, Injectable, NestInterceptor } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Request, Response } from 'express';
import { from, lastValueFrom, type Observable } from 'rxjs';
import { callerFromRequest, clientFromRequest } from '../auth/access';
import type { CurtailError } from '../common/errors';
import { errorForm, toCurtailError } from '../common/http/error-response';
import { findBodyType } from '../common/http/taken-body';
import { RequestValidationPipe } from '../common/http/validation.pipe';
import { Attempt } from './attempt';
import { bodyFingerprint, parseKey, toRequestId } from './idempotency-key';
import { StillRunningError } from './idempotency.errors';
import {
  IdempotencyService,
  type KeyedRequest,
  type RunningTry,
  type SentAnswer,
} from './idempotency.service';
import { RETRYABLE, type RetryableOptions, StatusAnswer } from './retryable';

/** Errors that are final once the handler runs. After other errors, the request can be repeated. */
const FINAL_ERRORS = new Set([400, 409]);

const attempts = new WeakMap<Request, Attempt>();

export function findAttempt(request: Request): Attempt {
  const attempt = attempts.get(request);
  if (attempt === undefined) throw new Error('The handler has no @Retryable()');
  return attempt;
}

@Injectable()
export class IdempotencyInterceptor implements NestInterceptor<object, void> {
  private readonly pipe = new RequestValidationPipe();

  constructor(
    private readonly idempotency: IdempotencyService,
    private readonly reflector: Reflector,
  ) {}

  intercept(context: ExecutionContext, next: CallHandler<object>): Observable<void> {
    return from(this.answer(context, () => lastValueFrom(next.handle())));
  }

  private async answer(context: ExecutionContext, handle: () => Promise<object>): Promise<void> {
    const http = context.switchToHttp();
    const [request, response] = [http.getRequest<Request>(), http.getResponse<Response>()];
    const options = this.reflector.get<RetryableOptions>(RETRYABLE, context.getHandler());
    const keyed = await this.keyedRequest(context, request, options);
    if (keyed === null) {
      attempts.set(request, new Attempt());
      send(response, toSentAnswer(await handle(), response));
      return;
    }
    const begun = await this.idempotency.begin(keyed);
    if (!isTry(begun)) {
      replay(response, begun);
      return;
    }
    attempts.set(request, begun.attempt);
    const answer = await run(begun, handle, request, response, options);
    if (answer !== null) {
      send(response, answer);
      return;
    }
    // Another attempt took over, because this attempt seemed dead.
    const takeover = await this.idempotency.begin(keyed);
    if (isTry(takeover)) {
      await takeover.release(null);
      throw new StillRunningError();
    }
    replay(response, takeover);
  }

  /** Returns null without a key. Validates the body before the key. */
  private async keyedRequest(
    context: ExecutionContext,
    request: Request,
    { items }: RetryableOptions,
  ): Promise<KeyedRequest | null> {
    const lines = request.headersDistinct['idempotency-key'];
    if (lines === undefined) return null;
    const metatype = findBodyType(context);
    const body: unknown = await this.pipe.transform(request.body, { type: 'body', metatype });
    const key = parseKey(lines);
    const client = clientFromRequest(request);
    const accountId = callerFromRequest(request).ownerId;
    return {
      id: toRequestId(accountId ?? client.key, request.method, request.path, key),
      key,
      fingerprint: bodyFingerprint(request.body),
      accountId,
      items: items?.(body as never) ?? 1,
      isGone: () => client.gone,
    };
  }
}

async function run(
  begun: RunningTry,
  handle: () => Promise<object>,
  request: Request,
  response: Response,
  { secretField }: RetryableOptions,
): Promise<SentAnswer | null> {
  let result: object;
  try {
    result = await handle();
  } catch (thrown) {
    const error = toCurtailError(thrown);
    if (!FINAL_ERRORS.has(error.status)) await leave(begun, error);
    else if (!(await begun.finish(errorAnswer(request, error), false))) return null;
    throw thrown;
  }
  const answer = toSentAnswer(result, response);
  const { unfinishedRows } = begun.attempt;
  if (unfinishedRows !== null) {
    await begun.release(unfinishedRows).catch(() => undefined);
    return answer;
  }
  const isSecret = secretField !== undefined && secretField in resultBody(result);
  return (await begun.finish(answer, isSecret)) ? answer : null;
}

/** Deletes a request that was refused before any work. Otherwise, a retry needs its ids. */
async function leave({ attempt, forget, release }: RunningTry, error: CurtailError): Promise<void> {
  const isUntouched = error.status < 500 && !attempt.isRepeated;
  // If this fails, the lease expires.
  await (isUntouched ? forget() : release(null)).catch(() => undefined);
}

function isTry(begun: RunningTry | SentAnswer): begun is RunningTry {
  return 'attempt' in begun;
}

function resultBody(result: object): object {
  return result instanceof StatusAnswer ? (result.body as object) : result;
}

function toSentAnswer(result: object, response: Response): SentAnswer {
  const status = result instanceof StatusAnswer ? result.status : response.statusCode;
  return { status, headers: {}, body: JSON.stringify(resultBody(result)) };
}

function errorAnswer(request: Request, error: CurtailError): SentAnswer {
  const headers = { ...error.headers, 'X-Error-Code': error.code };
  return { status: error.status, headers, body: errorForm(request, error).body };
}

function replay(response: Response, answer: SentAnswer): void {
  response.setHeader('Idempotent-Replayed', 'true');
  send(response, answer);
}

function send(response: Response, { status, headers, body }: SentAnswer): void {
  response.status(status).set(headers).type('json').send(body);
}
