import { All, Controller, Get, Head, Post, Req, UseFilters } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type express from 'express';
import { Access } from '../../auth/access.decorator';
import { RateLimit } from '../../auth/rate-limit/rate-limits';
import { AuthenticationError, MethodNotAllowedError } from '../../common/errors';
import { refuseBrokenQuery } from '../../common/http/encoded-text';
import { type HttpResult, SendsResult } from '../../common/http/http-result';
import { TakesCredentialForm } from '../../common/http/taken-body';
import { textInput } from '../../common/http/text-input';
import { type Call, CurrentCall } from '../compatible-request';
import { YourlsExceptionFilter } from './yourls-exception.filter';
import { yourlsForm } from './yourls-form';
import { YourlsService } from './yourls.service';

const HINT = 'Send an API key (svc_…) as signature, without timestamp';

/** Reads the key in `signature` or `password`. The form is read before (docs/contract.md#35.2). */
function readYourlsKey(request: express.Request): string | AuthenticationError | null {
  const input = textInput(request);
  const [signature, password] = [input('signature'), input('password')];
  if (signature !== null) return input('timestamp') === null ? signature : refusal();
  if (password?.trim().startsWith('svc_')) return password;
  return password === null && input('username') === null ? null : refusal();
}

function refusal(): AuthenticationError {
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
  @Head()
  @Access.public()
  @RateLimit.none()
  refuseHead(): never {
    throw new MethodNotAllowedError('GET, POST');
  }

  @Get()
  @SendsResult()
  get(@Req() request: express.Request, @CurrentCall() call: Call): Promise<HttpResult> {
    return this.answer(request, call);
  }

  @Post()
  @SendsResult()
  @TakesCredentialForm()
  post(@Req() request: express.Request, @CurrentCall() call: Call): Promise<HttpResult> {
    return this.answer(request, call);
  }

  @All()
  @Access.public()
  @RateLimit.none()
  refuseOthers(): never {
    throw new MethodNotAllowedError('GET, POST');
  }

  private async answer(request: express.Request, call: Call): Promise<HttpResult> {
    refuseBrokenQuery(request.originalUrl);
    const input = textInput(request);
    const { contentType, body } = yourlsForm(
      input('format'),
      await this.service.run({ ...call, input }),
    );
    return { kind: 'text', contentType, text: body };
  }
}
