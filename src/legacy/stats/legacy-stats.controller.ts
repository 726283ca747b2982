import {
  applyDecorators,
  Controller,
  Get,
  Header,
  Param,
  Post,
  Redirect,
  UseFilters,
} from '@nestjs/common';
import { ApiConsumes, ApiOkResponse, ApiQuery, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { StatisticsClient } from '../../analytics/engine/query-queue';
import { CurrentStatisticsClient } from '../../analytics/statistics-client.decorator';
import { Access } from '../../auth/access.decorator';
import { RateLimit } from '../../auth/rate-limit/rate-limits';
import { type HttpResult, SendsResult } from '../../common/http/http-result';
import { PageResponse } from '../../common/http/page';
import { statisticsFormPage } from '../../pages/statistics/statistics-form-page';
import { LegacyExceptionFilter } from '../legacy-exception.filter';
import { CurrentLegacyRequest, type LegacyRequest } from '../legacy-request';
import { LegacyFailures } from '../legacy.errors';
import { LegacyStatsService, shortCode } from './legacy-stats.service';
import { CurrentPasswordCheck, type PasswordCheck } from './password-check';

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
@UseFilters(LegacyExceptionFilter)
export class LegacyStatsController {
  constructor(private readonly service: LegacyStatsService) {}

  @Post()
  @SendsResult()
  @Header('Cache-Control', 'no-store')
  @StatsFields()
  @ApiStatsResponse()
  @LegacyFailures(400, 404, 413, 429, 503)
  read(
    @Param('code') code: string,
    @CurrentStatisticsClient() asker: StatisticsClient,
    @CurrentPasswordCheck() checkPassword: PasswordCheck,
    @CurrentLegacyRequest() { wantsJson }: LegacyRequest,
  ): Promise<HttpResult> {
    return this.service.objectOrPage({ code, asker, checkPassword }, wantsJson);
  }

  @Get()
  @PageResponse('The statistics of a link')
  @LegacyFailures(400, 404, 429, 503)
  show(
    @Param('code') code: string,
    @CurrentStatisticsClient() asker: StatisticsClient,
    @CurrentPasswordCheck() checkPassword: PasswordCheck,
  ): Promise<string> {
    return this.service.page({ code, asker, checkPassword });
  }
}

@ApiTags('v0')
@Controller('stats')
@Access.public()
@RateLimit('legacy.stats-form')
@UseFilters(LegacyExceptionFilter)
export class StatsFormController {
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
  goTo(@CurrentLegacyRequest() { input }: LegacyRequest): { url: string; statusCode: number } {
    return { url: `/stats/${encodeURIComponent(shortCode(input('short_code')))}`, statusCode: 302 };
  }
}
