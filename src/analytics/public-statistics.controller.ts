import { Body, Controller, Get, HttpCode, Param, Post, Query, Req, Res } from '@nestjs/common';
import { ApiBody, ApiOkResponse, ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { Access } from '../auth/access.decorator';
import { Caller, CurrentCaller } from '../auth/caller';
import { RateLimit } from '../auth/rate-limit/rate-limits';
import { ApiErrors } from '../common/http/api-errors.decorator';
import { LinkPasswordAttempts } from '../redirect/link-password/link-password.verifier';
import { CurrentStatisticsClient } from './statistics-client.decorator';
import type { StatisticsClient } from './engine/query-queue';
import { PeriodDto } from './query/statistics.dto';
import { LinkPasswordBody, LinkPasswordPipe } from './query/link-password';
import { PublicStatisticsResponse } from './report/public-statistics.response';
import { StatisticsService } from './statistics.service';

@ApiTags('Statistics')
@Controller('api/v1/public/stats')
@Access.open()
@RateLimit('stats.public')
export class PublicStatisticsController {
  constructor(
    private readonly service: StatisticsService,
    private readonly attempts: LinkPasswordAttempts,
  ) {}

  @Get(':code')
  @ApiOkResponse({ type: PublicStatisticsResponse })
  @ApiErrors(400, 401, 404, 422, 429)
  read(
    @Param('code') code: string,
    @Query() period: PeriodDto,
    @CurrentCaller() caller: Caller,
    @CurrentStatisticsClient() client: StatisticsClient,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<PublicStatisticsResponse> {
    const presented = this.attempts.of(undefined, request, response);
    return this.service.ofPublic({ code, period, caller, client, presented });
  }

  @Post(':code')
  @HttpCode(200)
  @ApiBody({ type: LinkPasswordBody, required: false })
  @ApiOkResponse({ type: PublicStatisticsResponse })
  @ApiErrors(400, 401, 404, 413, 422, 429)
  readWithPassword(
    @Param('code') code: string,
    @Query() period: PeriodDto,
    @Body(LinkPasswordPipe) password: unknown,
    @CurrentCaller() caller: Caller,
    @CurrentStatisticsClient() client: StatisticsClient,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<PublicStatisticsResponse> {
    const presented = this.attempts.of(password, request, response);
    return this.service.ofPublic({ code, period, caller, client, presented });
  }
}
