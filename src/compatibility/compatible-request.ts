import { applyDecorators, Injectable, type PipeTransform } from '@nestjs/common';
import type { Request } from 'express';
import {
  CurrentExchange,
  type Exchange,
  StatisticsClientPipe,
} from '../analytics/engine/statistics-client.decorator';
import type { StatisticsClient } from '../analytics/engine/statistics-engine';
import { Access } from '../auth/access.decorator';
import { callerFromRequest, clientFromRequest } from '../auth/caller';
import type { Principal, Scope } from '../auth/principal';
import { type LimitName, RateLimit } from '../auth/rate-limit/rate-limits';
import { type CurtailError, UnprocessableError } from '../common/errors';
import { type Client, ClientAddress } from '../infrastructure/client-address/client-address';
import type { LinkFields } from './compatible-links.service';

export interface Call {
  readonly caller: Principal;
  readonly client: Client;
  /** The client whose turn it is in the statistics queue. */
  readonly asker: StatisticsClient;
}

@Injectable()
class CallPipe implements PipeTransform<Exchange, Call> {
  private readonly askers: StatisticsClientPipe;

  constructor(address: ClientAddress) {
    this.askers = new StatisticsClientPipe(address);
  }

  transform(exchange: Exchange): Call {
    const { request } = exchange;
    const caller = callerFromRequest(request).demandPrincipal();
    return { caller, client: clientFromRequest(request), asker: this.askers.transform(exchange) };
  }
}

export const CurrentCall = (): ParameterDecorator => CurrentExchange(CallPipe);

/** A route for keys in `X-Api-Key`. */
export const KeyRoute = (limit: LimitName, ...scopes: Scope[]): MethodDecorator =>
  applyDecorators(Access.key(readKeyHeader, ...scopes), RateLimit(limit));

function readKeyHeader({ headers }: Request): string | null {
  const { 'x-api-key': key } = headers;
  return typeof key === 'string' && key.trim() !== '' ? key : null;
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
    // The message begins with the key of the filter.
    const first = given === 'filter' ? (/^\w+/.exec(problem.error)?.[0] ?? given) : given;
    const name = names[first] ?? first;
    const text = problem.error.startsWith(`${first} `)
      ? name + problem.error.slice(first.length)
      : problem.error;
    return { field: [name, ...rest].join('.'), error: text };
  });
}
