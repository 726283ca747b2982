import {
  applyDecorators,
  Injectable,
  type PipeTransform,
  RequestMapping,
  RequestMethod,
} from '@nestjs/common';
import type { Request } from 'express';
import {
  CurrentExchange,
  type Exchange,
  StatisticsClientPipe,
} from '../analytics/engine/statistics-client.decorator';
import type { StatisticsClient } from '../analytics/engine/statistics-engine';
import {
  Access,
  callerFromRequest,
  clientFromRequest,
  type Principal,
  type Scope,
} from '../auth/access';
import { type LimitName, RateLimit } from '../auth/rate-limit/rate-limits';
import { type CurtailError, UnprocessableError } from '../common/errors';
import { refuseBrokenQuery } from '../common/http/json-bodies';
import { TakesForms } from '../common/http/taken-body';
import { type Client, ClientAddress } from '../infrastructure/client-address/client-address';

/** Fields of POST or PATCH in /api/v1, which are validated as there, or in these APIs. */
export type LinkFields = Readonly<Record<string, unknown>>;

export interface Call {
  readonly caller: Principal;
  readonly client: Client;
  /** The client for which the statistics queue counts this query. */
  readonly asker: StatisticsClient;
  readonly request: Request;
  readonly query: LinkFields;
}

@Injectable()
class CallPipe implements PipeTransform<Exchange, Call> {
  private readonly askers: StatisticsClientPipe;

  constructor(address: ClientAddress) {
    this.askers = new StatisticsClientPipe(address);
  }

  transform(exchange: Exchange): Call {
    const { request } = exchange;
    refuseBrokenQuery(request.originalUrl);
    return {
      caller: callerFromRequest(request).demandPrincipal(),
      client: clientFromRequest(request),
      asker: this.askers.transform(exchange),
      request,
      query: request.query,
    };
  }
}

export const CurrentCall = (): ParameterDecorator => CurrentExchange(CallPipe);

type Method = keyof typeof RequestMethod;

/** A route that ignores credentials. */
export const OpenRoute = (method: Method, path: string | string[] = ''): MethodDecorator =>
  applyDecorators(
    RequestMapping({ method: RequestMethod[method], path }),
    Access.public(),
    RateLimit.none(),
  );

/** A route for keys in `X-Api-Key`. */
export const KeyRoute = (
  method: Method,
  path: string,
  limit: LimitName,
  ...scopes: Scope[]
): MethodDecorator =>
  applyDecorators(
    RequestMapping({ method: RequestMethod[method], path }),
    Access.key(({ headers }) => keyText(headers['x-api-key']), ...scopes),
    RateLimit(limit),
    ...(method === 'POST' || method === 'PATCH' ? [TakesForms()] : []),
  );

/** Null if the header or parameter contains no key. */
export function keyText(value: unknown): string | null {
  return typeof value === 'string' && value.trim() !== '' ? value : null;
}

/** Accepts any JSON object or form as `@Body`; empty without a body. @throws UnprocessableError */
@Injectable()
export class FieldsPipe implements PipeTransform<unknown, LinkFields> {
  transform(body: unknown): LinkFields {
    if (body === undefined) return {};
    if (typeof body === 'object' && body !== null && !Array.isArray(body)) return { ...body };
    throw UnprocessableError.forField('input', 'must be a JSON object');
  }
}

/** Returns the invalid fields, and the messages about them, with another API's names. */
export function renamedProblems(
  error: CurtailError,
  names: Readonly<Record<string, string>>,
): { field: string; error: string }[] {
  const { field, message } = error;
  const problems = error instanceof UnprocessableError ? error.problems : [];
  const known = problems.length > 0 || field === undefined ? problems : [{ field, error: message }];
  return known.map((problem) => {
    const [given = '', ...rest] = problem.field.split('.');
    // The error message begins with the filter's key.
    const first = given === 'filter' ? (/^\w+/.exec(problem.error)?.[0] ?? given) : given;
    const name = names[first] ?? first;
    const text = problem.error.startsWith(`${first} `)
      ? name + problem.error.slice(first.length)
      : problem.error;
    // Messages about one time may name the other.
    const error = text.replace(/\b[a-z]+_[a-z]+\b/g, (word) => names[word] ?? word);
    return { field: [name, ...rest].join('.'), error };
  });
}
