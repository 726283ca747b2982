import { Controller, Get, Header, Param } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { Access, CurrentViewer } from '../auth/access';
import { RateLimit } from '../auth/rate-limit/rate-limits';
import { NotFoundError } from '../common/errors';
import {
  type AssetFileResult,
  toAsset,
  type HttpResult,
  SendsResult,
} from '../common/http/http-result';
import type { Viewer } from '../common/http/page';
import { ApiDescriptionService, findReaderBundle } from './api-description.service';
import { DOCS_POLICY, DOCS_SCRIPT, docsPage } from './docs-page';

@ApiExcludeController()
@Controller()
@Access.public()
@RateLimit.none()
export class ApiDescriptionController {
  private readonly bundle = findReaderBundle();
  private readonly script = toAsset('text/javascript; charset=utf-8', DOCS_SCRIPT);

  constructor(private readonly service: ApiDescriptionService) {}

  @Get('openapi.json')
  @SendsResult()
  document(): HttpResult {
    return this.service.document();
  }

  @Get('docs')
  @Access.page()
  @Header('Cache-Control', 'no-store')
  @SendsResult()
  docs(@CurrentViewer() viewer: Viewer | null): HttpResult {
    const markup = docsPage(`/docs/${this.bundle?.name ?? 'scalar.js'}`, viewer);
    return { kind: 'page', markup, policy: DOCS_POLICY };
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
