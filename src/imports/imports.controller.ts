import { Body, Controller, Delete, Get, HttpCode, Post, Query, Req, Res } from '@nestjs/common';
import {
  ApiAcceptedResponse,
  ApiBody,
  ApiConsumes,
  ApiExtraModels,
  ApiOkResponse,
  ApiTags,
  getSchemaPath,
} from '@nestjs/swagger';
import type express from 'express';
import { Access, CurrentPrincipal, type Principal } from '../auth/access';
import { RateLimit } from '../auth/rate-limit/rate-limits';
import { ApiErrors, IdParam, Operation, Returns } from '../common/http/route.decorators';
import { type FileResult, SendsResult } from '../common/http/http-result';
import { answerHeaders } from '../common/openapi/answer-headers';
import { OptionalBodyPipe } from '../common/http/optional-body.pipe';
import { API_SOURCES, FILE_SOURCES } from './sources/import-sources';
import { ImportPageResponse, ImportResponse, RemovedImportResponse } from './import.response';
import { IMPORT_REPORT_COLUMNS, ImportRowPageResponse } from './import-row.response';
import {
  ImportOptionsDto,
  ImportRowsDto,
  ListImportsDto,
  RunImportDto,
  SyncImportDto,
  UndoImportDto,
} from './imports.dto';
import { ImportsService } from './imports.service';

const UPLOAD_SCHEMA = {
  type: 'object',
  required: ['source', 'file'],
  properties: {
    source: {
      type: 'string',
      enum: [...FILE_SOURCES],
      description: 'The service that exported the file',
    },
    options: {
      type: 'string',
      contentMediaType: 'application/json',
      contentSchema: { $ref: getSchemaPath(ImportOptionsDto) },
      description: 'ImportOptionsDto as a JSON object. An unknown option returns 422',
      example: '{"tags":["Imported"]}',
    },
    file: {
      type: 'string',
      format: 'binary',
      description: 'The file: plain, gzip, or a zip archive with a single file',
      example: 'Long URL,Back-half\nhttps://example.com/spring/sale,spring-sale\n',
    },
  },
};
const API_REQUEST = {
  type: 'object',
  required: ['source', 'credential'],
  properties: {
    source: { type: 'string', enum: [...API_SOURCES], description: 'The kind of service' },
    base_url: {
      type: 'string',
      maxLength: 2048,
      description:
        "The service's address. Required unless the source has a default (contract 22.1)",
      example: 'https://kutt.example.com',
    },
    credential: {
      type: 'string',
      maxLength: 4096,
      description: "The service's API key or token. Stored encrypted and never shown",
      example: 'kutt-api-key',
    },
    options: {
      $ref: getSchemaPath(ImportOptionsDto),
      description: 'An unknown option returns 422',
      example: { tags: ['Imported'] },
    },
  },
};
const REPORT_EXAMPLE = `${IMPORT_REPORT_COLUMNS.join(',')}\r\n2,spring-sale,https://example.com/spring/sale,created,,,665f1c0e8b3a4d0012ab34cd\r\n`;
const IMPORT_ID_TEXT = "The import's ID";

@ApiTags('Imports')
@Controller('api/v1/imports')
@Access('urls:manage')
export class ImportsController {
  constructor(private readonly service: ImportsService) {}

  @Post()
  @HttpCode(202)
  @RateLimit('imports.create')
  @Operation({
    id: 'createImport',
    summary: "Check another service's links",
    description:
      "Reads a file, or a service's API (JSON body), and returns a job that checks every row. A file can be a CSV file, a YOURLS or Kutt database dump, a spoo.me export or a Curtail account archive: plain, compressed with gzip, or as the only file in a zip archive. Nothing is imported before `POST /api/v1/imports/{id}/run`, unless the option `dry_run` is false.",
    otherBodies: { 'application/json': API_REQUEST },
  })
  @ApiExtraModels(ImportOptionsDto)
  @ApiConsumes('multipart/form-data')
  @ApiBody({ required: true, schema: UPLOAD_SCHEMA })
  @ApiAcceptedResponse({
    type: ImportResponse,
    description: 'The import',
    headers: answerHeaders('Location'),
  })
  @ApiErrors(400, 409, 413, 422, 507)
  async create(
    @Req() request: express.Request,
    @Res({ passthrough: true }) response: express.Response,
    @Body() body: unknown,
    @CurrentPrincipal() caller: Principal,
  ): Promise<ImportResponse> {
    // The service parses a multipart form itself, as a stream.
    const isJson = request.is('application/json') !== false;
    const created = await (isJson
      ? this.service.createOfService(body, caller)
      : this.service.create(request, caller));
    response.setHeader('Location', `/api/v1/imports/${created.id}`);
    return created;
  }

  @Get()
  @RateLimit('imports.read')
  @Operation({
    id: 'listImports',
    summary: 'List imports',
    description: 'Returns a page of your imports, newest first.',
  })
  @Returns(200, ImportPageResponse, 'A page')
  list(@Query() { page, pageSize }: ListImportsDto, @CurrentPrincipal() caller: Principal) {
    return this.service.list(page, pageSize, caller);
  }

  @Get(':id')
  @RateLimit('imports.read')
  @Operation({
    id: 'getImport',
    summary: 'Read an import',
    description: "Returns the import and its job's progress. The job has the same ID.",
  })
  @Returns(200, ImportResponse, 'The import', 404)
  show(@IdParam(IMPORT_ID_TEXT) id: string, @CurrentPrincipal() caller: Principal) {
    return this.service.show(id, caller);
  }

  @Post(':id/run')
  @RateLimit('imports.run')
  @Operation({
    id: 'runImport',
    summary: 'Run a checked import',
    description:
      'Checks every row again and imports it. A cancelled or failed run resumes; no link is created twice.',
  })
  @Returns(202, ImportResponse, 'The import, queued', 404, 409)
  @ApiBody({ type: RunImportDto, required: false })
  run(
    @IdParam(IMPORT_ID_TEXT) id: string,
    @Body(new OptionalBodyPipe(RunImportDto)) body: Readonly<RunImportDto>,
    @CurrentPrincipal() caller: Principal,
  ) {
    return this.service.run(id, body, caller);
  }

  @Post(':id/sync')
  @RateLimit('imports.run')
  @Operation({
    id: 'syncImport',
    summary: 'Import new data from a service',
    description:
      'Reads the service again after a completed run, and imports new links, new visits and current counts. Links that were changed or deleted here stay as they are, unless the option `on_existing` is `update`.',
  })
  @Returns(202, ImportResponse, 'The import, queued', 400, 404, 409, 422)
  @ApiBody({ type: SyncImportDto, required: false })
  sync(
    @IdParam(IMPORT_ID_TEXT) id: string,
    @Body(new OptionalBodyPipe(SyncImportDto)) body: Readonly<SyncImportDto>,
    @CurrentPrincipal() caller: Principal,
  ) {
    return this.service.sync(id, body, caller);
  }

  @Post(':id/undo')
  @RateLimit('imports.run')
  @Operation({
    id: 'undoImport',
    summary: 'Undo an import',
    description:
      'Deletes the links that this import created and that still exist, with all their clicks, in a job whose progress is `undo`. Also deletes links that were edited or clicked since (`undoable_clicked`). Keeps blocked links, links that the import only updated, tags, rows and the report. If the undo is already in progress, returns the import.',
  })
  @Returns(202, ImportResponse, 'The import', 404, 409, 422)
  undo(
    @IdParam(IMPORT_ID_TEXT) id: string,
    @Body() body: UndoImportDto,
    @CurrentPrincipal() caller: Principal,
  ) {
    return this.service.undo(id, body, caller);
  }

  @Post(':id/cancel')
  @RateLimit('imports.change')
  @Operation({
    id: 'cancelImport',
    summary: 'Cancel an import',
    description: 'Keeps imported links. A finished import does not change.',
  })
  @Returns(200, ImportResponse, 'The import', 404)
  cancel(@IdParam(IMPORT_ID_TEXT) id: string, @CurrentPrincipal() caller: Principal) {
    return this.service.cancel(id, caller);
  }

  @Delete(':id')
  @RateLimit('imports.change')
  @Operation({
    id: 'removeImport',
    summary: 'Remove an import',
    description:
      'Deletes the file and rows, but keeps the links. An unfinished import is cancelled first.',
  })
  @Returns(200, RemovedImportResponse, 'The import is removed', 404)
  async remove(@IdParam(IMPORT_ID_TEXT) id: string, @CurrentPrincipal() caller: Principal) {
    await this.service.remove(id, caller);
    return { message: 'Import removed', id };
  }

  @Get(':id/rows')
  @RateLimit('imports.rows')
  @Operation({
    id: 'listImportRows',
    summary: "List an import's rows",
    description:
      'Returns a page of rows with their verdicts, in file order. Use `verdict` to select the rows with a verdict or note.',
  })
  @Returns(200, ImportRowPageResponse, 'A page', 404)
  rows(
    @IdParam(IMPORT_ID_TEXT) id: string,
    @Query() query: ImportRowsDto,
    @CurrentPrincipal() caller: Principal,
  ) {
    return this.service.rows(id, query, caller);
  }

  @Get(':id/report.csv')
  @RateLimit('imports.report')
  @SendsResult()
  @Operation({
    id: 'downloadImportReport',
    summary: "Download an import's rows",
    description:
      'Returns a CSV file with a line for each row. Spreadsheets do not run its values as formulas.',
  })
  @ApiOkResponse({
    description: 'The file',
    headers: answerHeaders('Content-Disposition'),
    content: { 'text/csv': { schema: { type: 'string', example: REPORT_EXAMPLE } } },
  })
  @ApiErrors(404)
  report(
    @IdParam(IMPORT_ID_TEXT) id: string,
    @CurrentPrincipal() caller: Principal,
  ): Promise<FileResult> {
    return this.service.report(id, caller);
  }
}
