import { Controller, Get, Param, Post, Req, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { Access } from '../../access/access.decorator';
import { RateLimit } from '../../access/rate-limit.decorator';
import { CurrentStatisticsClient } from '../../analytics/asker.decorator';
import type { StatisticsClient } from '../../analytics/engine/question-queue';
import { PageResponse } from '../../http/page-answer';
import { LegacyFailures } from '../legacy-failures';
import { StatsResponseService } from './stats-answer.service';
import { LegacyStatsService } from './legacy-stats.service';
import { StatsFields, ApiStatsResponse } from './stats-fields.decorator';

@ApiTags('v0')
@Controller('stats/:code')
@Access.public()
@RateLimit('legacy.stats')
export class LegacyStatsController {
  constructor(
    private readonly service: LegacyStatsService,
    private readonly answer: StatsResponseService,
  ) {}

  @Post()
  @StatsFields()
  @ApiStatsResponse()
  @LegacyFailures(400, 404, 413, 429, 503)
  read(
    @Param('code') code: string,
    @CurrentStatisticsClient() asker: StatisticsClient,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    return this.answer.send({ code, asker, request, response });
  }

  @Get()
  @PageResponse('The statistics of a link')
  @LegacyFailures(400, 404, 429, 503)
  show(
    @Param('code') code: string,
    @CurrentStatisticsClient() asker: StatisticsClient,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<string> {
    return this.service.page({ code, asker, request, response });
  }
}
