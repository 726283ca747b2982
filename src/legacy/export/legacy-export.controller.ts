import { Controller, Get, Post, UseFilters } from '@nestjs/common';
import { ApiParam, ApiTags } from '@nestjs/swagger';
import { ExportFileResponse } from '../../analytics/export/export-file.decorator';
import { EXPORT_FORMATS } from '../../infrastructure/files/file-formats';
import { Access } from '../../auth/access';
import { RateLimit } from '../../auth/rate-limit/rate-limits';
import { type HttpResult, SendsResult } from '../../common/http/http-result';
import { BOM_DESCRIPTION } from '../../common/http/validators';
import { FormBody, FormQuery } from '../../common/http/form-fields';
import { Operation } from '../../common/http/route.decorators';
import { CodeParam } from '../../common/openapi/properties';
import { LegacyExceptionFilter } from '../refusals/legacy-exception.filter';
import { LegacyFailures } from '../request/legacy.errors';
import { PASSWORD_FIELD } from '../stats/legacy-stats.controller';
import { LegacyStatistics } from '../stats/legacy-stats.response';
import { CurrentStatisticsRequest, type StatisticsRequest } from '../stats/statistics-request';
import { LegacyExportService } from './legacy-export.service';

const FORMAT_PARAMETER = {
  name: 'format',
  enum: EXPORT_FORMATS,
  description: 'The file format, in upper or lower case',
};
const EXPORT_FORM_FIELDS = {
  ...PASSWORD_FIELD,
  bom: { description: BOM_DESCRIPTION, schema: { pattern: '^(true|false)$' } },
};
const FAILURES = { 400: ['FormatError', 'PasswordError'], 404: ['UrlError'] } as const;

@ApiTags('v0')
@Controller('export/:code/:format')
@Access.public()
@RateLimit('legacy.export')
@UseFilters(LegacyExceptionFilter)
export class LegacyExportController {
  constructor(private readonly service: LegacyExportService) {}

  @Post()
  @SendsResult()
  @Operation({
    id: 'exportLegacyStatistics',
    deprecated: true,
    summary: 'Download statistics in the v0 format',
    description: 'Returns the lists from POST /stats/{code} with all rows, as a file.',
  })
  @FormBody(EXPORT_FORM_FIELDS)
  @ExportFileResponse(LegacyStatistics)
  @LegacyFailures(FAILURES, 'json')
  @ApiParam(FORMAT_PARAMETER)
  @CodeParam()
  export(@CurrentStatisticsRequest() requested: StatisticsRequest): Promise<HttpResult> {
    return this.service.export(requested);
  }

  @Get()
  @SendsResult()
  @Operation({
    id: 'downloadLegacyStatistics',
    deprecated: true,
    summary: 'Download v0 statistics in a browser',
    description: 'Like POST on this path; errors are pages.',
  })
  @FormQuery(EXPORT_FORM_FIELDS)
  @ExportFileResponse(LegacyStatistics)
  @LegacyFailures(FAILURES, 'page')
  @ApiParam(FORMAT_PARAMETER)
  @CodeParam()
  download(@CurrentStatisticsRequest() requested: StatisticsRequest): Promise<HttpResult> {
    return this.service.export(requested);
  }
}
