import { Controller, Get, Header, Param } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { Access } from '../auth/access.decorator';
import { RateLimit } from '../auth/rate-limit/rate-limits';
import { NotFoundError } from '../common/errors';
import {
  type AssetFileResult,
  assetOf,
  type HttpResult,
  SendsResult,
} from '../common/http/http-result';
import { ApiDescriptionService } from './api-description.service';
import { DOCS_POLICY, DOCS_SCRIPT, docsPage } from './docs-page';
import { findReaderBundle } from './reader-bundle';

/** GET /openapi.json and the page that reads it (docs/contract.md#1). */
@ApiExcludeController()
@Controller()
@Access.public()
@RateLimit.none()
export class ApiDescriptionController {
  private readonly bundle = findReaderBundle();
  private readonly page = assetOf(
    'text/html; charset=utf-8',
    docsPage(`/docs/${this.bundle?.name ?? 'scalar.js'}`),
    { maxAgeSeconds: 0 },
  );
  private readonly script = assetOf('text/javascript; charset=utf-8', DOCS_SCRIPT);

  constructor(private readonly service: ApiDescriptionService) {}

  @Get('openapi.json')
  @SendsResult()
  document(): HttpResult {
    return this.service.document();
  }

  @Get('docs')
  @Header('Content-Security-Policy', DOCS_POLICY)
  @SendsResult()
  docs(): HttpResult {
    return this.page;
  }

  @Get('docs/start.js')
  @SendsResult()
  start(): HttpResult {
    return this.script;
  }

  @Get('docs/:file')
  @SendsResult()
  reader(@Param('file') file: string): AssetFileResult {
    if (this.bundle === null || file !== this.bundle.name) throw new NotFoundError();
    return { kind: 'asset-file', contentType: 'text/javascript; charset=utf-8', ...this.bundle };
  }
}
