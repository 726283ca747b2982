import { Body, Controller, Get, HttpCode, Param, Post, Query, Req, Res } from '@nestjs/common';
import { ApiBody, ApiOkResponse, ApiTags } from '@nestjs/swagger';
import type express from 'express';
import { Access, Caller, CurrentCaller } from '../auth/access';
import { AlsoLimited, RateLimit } from '../auth/rate-limit/rate-limits';
import { ApiErrors, Operation } from '../common/http/route.decorators';
import { type HttpResult, SendsResult } from '../common/http/http-result';
import { PASSWORD_CODES } from '../common/openapi/error-answers';
import { CodeParam } from '../common/openapi/properties';
import {
  LinkPasswordAttempts,
  PASSWORD_LIMITS,
} from '../redirect/link-password/link-password.verifier';
import { CurrentStatisticsClient } from './engine/statistics-client.decorator';
import type { StatisticsClient } from './engine/statistics-engine';
import { PublicPeriodDto } from './query/statistics.dto';
import { LinkPasswordBody, LinkPasswordPipe } from './query/link-password';
import { PublicStatisticsResponse } from './report/public-statistics.response';
import { StatisticsService } from './statistics.service';

@ApiTags('Statistics')
@Controller('api/v1/public/stats')
@CodeParam()
@Access.open()
@RateLimit('stats.public')
export class PublicStatisticsController {
  constructor(
    private readonly service: StatisticsService,
    private readonly attempts: LinkPasswordAttempts,
  ) {}

  @Get(':code')
  @SendsResult()
  @AlsoLimited(PASSWORD_LIMITS)
  @Operation({
    id: 'getPublicStatistics',
    summary: "Read a link's public statistics",
    description:
      "Returns the link and its clicks by all public dimensions. Private statistics return 404 to everyone but the link's owner.",
  })
  @ApiOkResponse({ type: PublicStatisticsResponse, description: 'The link and its figures' })
  @ApiErrors([401, ...PASSWORD_CODES], 404)
  read(
    @Param('code') code: string,
    @Query() { domain, ...period }: PublicPeriodDto,
    @CurrentCaller() caller: Caller,
    @CurrentStatisticsClient() client: StatisticsClient,
    @Req() request: express.Request,
    @Res() response: express.Response,
  ): Promise<HttpResult> {
    const presented = this.attempts.presented(undefined, request, response);
    return this.service.ofPublic({ code, domain, period, caller, client, presented });
  }

  @Post(':code')
  @HttpCode(200)
  @SendsResult()
  @AlsoLimited(PASSWORD_LIMITS)
  @Operation({
    id: 'getPublicStatisticsWithPassword',
    summary: 'Read public statistics with a link password',
    description: 'Like GET, with the link password in the body, which is not logged.',
    examples: { password: { summary: 'The password', value: { password: 'tulips@2030' } } },
  })
  @ApiBody({ type: LinkPasswordBody, required: false })
  @ApiOkResponse({ type: PublicStatisticsResponse, description: 'The link and its figures' })
  @ApiErrors([401, ...PASSWORD_CODES], 404, [403, 'forbidden'])
  readWithPassword(
    @Param('code') code: string,
    @Query() { domain, ...period }: PublicPeriodDto,
    @Body(LinkPasswordPipe) password: unknown,
    @CurrentCaller() caller: Caller,
    @CurrentStatisticsClient() client: StatisticsClient,
    @Req() request: express.Request,
    @Res() response: express.Response,
  ): Promise<HttpResult> {
    const presented = this.attempts.presented(password, request, response);
    return this.service.ofPublic({ code, domain, period, caller, client, presented });
  }
}
