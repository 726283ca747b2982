import { applyDecorators, Controller, Get, Param, Post, Redirect, Req, Res } from '@nestjs/common';
import { ApiConsumes, ApiOkResponse, ApiQuery, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import type { StatisticsClient } from '../../analytics/engine/question-queue';
import { CurrentStatisticsClient } from '../../analytics/statistics-client.decorator';
import { Access } from '../../auth/access.decorator';
import { RateLimit } from '../../auth/rate-limit/rate-limits';
import { PageResponse } from '../../common/http/page';
import { statisticsFormPage } from '../../pages/statistics/statistics-form-page';
import { LegacyFailures } from '../legacy.errors';
import { LegacyStatsService } from './legacy-stats.service';
import { StatsResponseService } from './stats-response.service';

/** Describes the password of statistics and exports, in a form or in the query string. */
export function StatsFields(): MethodDecorator {
  return applyDecorators(
    ApiConsumes('application/x-www-form-urlencoded', 'multipart/form-data'),
    ApiQuery({ name: 'password', required: false, description: 'The password of the link' }),
  );
}

/** Describes the v0 object; its keys are in the type LegacyStats. */
export function ApiStatsResponse(): MethodDecorator {
  return ApiOkResponse({
    description: 'The v0 statistics; a page when `Accept` contains text/html',
    content: {
      'application/json': { schema: { type: 'object', additionalProperties: true } },
      'text/html': { schema: { type: 'string' } },
    },
  });
}

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

@ApiTags('v0')
@Controller('stats')
@Access.public()
@RateLimit('legacy.stats-form')
export class StatsFormController {
  constructor(private readonly service: LegacyStatsService) {}

  @Get()
  @PageResponse('A form that asks for a short link')
  @LegacyFailures(429)
  form(): string {
    return statisticsFormPage();
  }

  @Post()
  @Redirect()
  @ApiConsumes('application/x-www-form-urlencoded', 'multipart/form-data')
  @ApiResponse({ status: 302, description: 'On to /stats/{code}' })
  @LegacyFailures(400, 413, 429)
  goTo(@Req() request: Request): { url: string; statusCode: number } {
    return { url: this.service.pathFromForm(request), statusCode: 302 };
  }
}
