import { Controller, Get, Post, UseFilters } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type express from 'express';
import { Access } from '../../auth/access';
import { RateLimit } from '../../auth/rate-limit/rate-limits';
import { AuthenticationError, MethodNotAllowedError } from '../../common/errors';
import { type HttpResult, SendsResult } from '../../common/http/http-result';
import { TakesCredentialForm } from '../../common/http/taken-body';
import { textInput } from '../../common/http/text-input';
import { type Call, CurrentCall, OpenRoute } from '../compatible-request';
import { YourlsExceptionFilter } from './yourls-exception.filter';
import { YourlsService } from './yourls.service';

const HINT = 'Send an API key (svc_…) as signature, without timestamp';

/** Reads the key in `signature` or `password` from the query or form (docs/contract.md#35.2). */
function readYourlsKey(request: express.Request): string | AuthenticationError | null {
  const input = textInput(request);
  const [signature, password] = [input('signature'), input('password')];
  if (signature !== null && input('timestamp') === null) return signature;
  if (signature === null && password?.trim().startsWith('svc_')) return password;
  if ((signature ?? password ?? input('username')) === null) return null;
  return new AuthenticationError('This is not an API key', { hint: HINT });
}

/** The API of YOURLS (docs/contract.md#35.2). */
@ApiExcludeController()
@Controller('yourls-api.php')
@UseFilters(YourlsExceptionFilter)
@Access.key(readYourlsKey)
@RateLimit('links.create')
export class YourlsController {
  constructor(private readonly service: YourlsService) {}

  /** Declared first, because Express would pass HEAD to GET, which creates links. */
  @OpenRoute('HEAD')
  refuseHead(): never {
    throw new MethodNotAllowedError('GET, POST');
  }

  @Get()
  @SendsResult()
  get(@CurrentCall() call: Call): Promise<HttpResult> {
    return this.service.run(call);
  }

  @Post()
  @SendsResult()
  @TakesCredentialForm()
  post(@CurrentCall() call: Call): Promise<HttpResult> {
    return this.service.run(call);
  }

  @OpenRoute('ALL')
  refuseOthers(): never {
    throw new MethodNotAllowedError('GET, POST');
  }
}
