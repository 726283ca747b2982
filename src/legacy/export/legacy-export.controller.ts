import { Controller, Get, Param, Post, Req, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { Access } from '../../access/access.decorator';
import { RateLimit } from '../../access/rate-limit.decorator';
import { CurrentStatisticsClient } from '../../analytics/asker.decorator';
import type { StatisticsClient } from '../../analytics/engine/question-queue';
import { LegacyFailures } from '../legacy-failures';
import { StatsFields } from '../stats/stats-fields.decorator';
import { ExportFile } from './export-file.decorator';
import { LegacyExportService } from './legacy-export.service';

@ApiTags('v0')
@Controller('export/:code/:format')
@Access.public()
@RateLimit('legacy.export')
export class LegacyExportController {
  constructor(private readonly service: LegacyExportService) {}

  @Post()
  @StatsFields()
  @ExportFile()
  @LegacyFailures(400, 404, 413, 429, 503)
  export(
    @Param('code') code: string,
    @Param('format') format: string,
    @CurrentStatisticsClient() asker: StatisticsClient,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    return this.service.send(format, { code, asker, request, response });
  }

  @Get()
  @StatsFields()
  @ExportFile()
  @LegacyFailures(400, 404, 429, 503)
  download(
    @Param('code') code: string,
    @Param('format') format: string,
    @CurrentStatisticsClient() asker: StatisticsClient,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    return this.service.send(format, { code, asker, request, response });
  }
}
