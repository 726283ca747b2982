import {
  createParamDecorator,
  type ExecutionContext,
  Injectable,
  type PipeTransform,
} from '@nestjs/common';
import type { Request, Response } from 'express';
import { callerFromRequest } from '../../auth/access';
import { ClientAddress } from '../../infrastructure/client-address/client-address';
import type { StatisticsClient } from './statistics-engine';

export interface Exchange {
  request: Request;
  response: Response;
}

export const CurrentExchange = createParamDecorator(
  (_: unknown, context: ExecutionContext): Exchange => {
    const http = context.switchToHttp();
    return { request: http.getRequest(), response: http.getResponse() };
  },
);

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

export const CurrentStatisticsClient = (): ParameterDecorator =>
  CurrentExchange(StatisticsClientPipe);
