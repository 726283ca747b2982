import {
  createParamDecorator,
  type ExecutionContext,
  Injectable,
  type PipeTransform,
} from '@nestjs/common';
import type { Request, Response } from 'express';
import { callerFromRequest } from '../auth/caller';
import { ClientAddress } from '../infrastructure/client-address/client-address';
import type { StatisticsClient } from './statistics-engine';

export interface Exchange {
  request: Request;
  response: Response;
}

/** Hands request and response to a pipe, which makes of them what its handler takes. */
export const CurrentExchange = createParamDecorator(
  (_: unknown, context: ExecutionContext): Exchange => {
    const http = context.switchToHttp();
    return { request: http.getRequest(), response: http.getResponse() };
  },
);

/** The client of a request as plain values: its key in the queue, and a signal for its leaving. */
@Injectable()
export class StatisticsClientPipe implements PipeTransform<Exchange, StatisticsClient> {
  constructor(private readonly address: ClientAddress) {}

  transform({ request, response }: Exchange): StatisticsClient {
    const gone = new AbortController();
    if (response.closed) gone.abort();
    else response.once('close', () => gone.abort());
    const { principal } = callerFromRequest(request);
    const key = principal ? `user:${principal.userId}` : `ip:${this.address.client(request).key}`;
    return { key, signal: gone.signal };
  }
}

/** Hands the client to a handler that responds with statistics. */
export const CurrentStatisticsClient = (): ParameterDecorator =>
  CurrentExchange(StatisticsClientPipe);
