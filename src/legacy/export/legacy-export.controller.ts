import { applyDecorators, Controller, Get, Param, Post, UseFilters } from '@nestjs/common';
import { ApiOkResponse, ApiParam, ApiProduces, ApiTags } from '@nestjs/swagger';
import type { StatisticsClient } from '../../analytics/engine/query-queue';
import { contentType, EXPORT_FORMATS } from '../../analytics/export/file-formats';
import { CurrentStatisticsClient } from '../../analytics/statistics-client.decorator';
import { Access } from '../../auth/access.decorator';
import { RateLimit } from '../../auth/rate-limit/rate-limits';
import { type HttpResult, SendsResult } from '../../common/http/http-result';
import { LegacyExceptionFilter } from '../legacy-exception.filter';
import { LegacyFailures } from '../legacy.errors';
import { StatsFields } from '../stats/legacy-stats.controller';
import { CurrentPasswordCheck, type PasswordCheck } from '../stats/password-check';
import { LegacyExportService } from './legacy-export.service';

/** Describes the file of a v0 export. */
export function ExportFile(): MethodDecorator {
  return applyDecorators(
    ApiParam({ name: 'format', enum: EXPORT_FORMATS, description: 'In any case' }),
    ApiProduces(...EXPORT_FORMATS.map(contentType)),
    ApiOkResponse({ description: 'A file', schema: { type: 'string', format: 'binary' } }),
  );
}

@ApiTags('v0')
@Controller('export/:code/:format')
@Access.public()
@RateLimit('legacy.export')
@UseFilters(LegacyExceptionFilter)
export class LegacyExportController {
  constructor(private readonly service: LegacyExportService) {}

  @Post()
  @SendsResult()
  @StatsFields()
  @ExportFile()
  @LegacyFailures(400, 404, 413, 429, 503)
  export(
    @Param('code') code: string,
    @Param('format') format: string,
    @CurrentStatisticsClient() asker: StatisticsClient,
    @CurrentPasswordCheck() checkPassword: PasswordCheck,
  ): Promise<HttpResult> {
    return this.service.export(format, { code, asker, checkPassword });
  }

  @Get()
  @SendsResult()
  @StatsFields()
  @ExportFile()
  @LegacyFailures(400, 404, 429, 503)
  download(
    @Param('code') code: string,
    @Param('format') format: string,
    @CurrentStatisticsClient() asker: StatisticsClient,
    @CurrentPasswordCheck() checkPassword: PasswordCheck,
  ): Promise<HttpResult> {
    return this.service.export(format, { code, asker, checkPassword });
  }
}
