import { Controller, Get, Post, Redirect, Req } from '@nestjs/common';
import { ApiConsumes, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { Request } from 'express';
import { Access } from '../../access/access.decorator';
import { RateLimit } from '../../access/rate-limit.decorator';
import { PageResponse } from '../../http/page-answer';
import { statisticsFormPage } from '../../pages/statistics/statistics-form-page';
import { LegacyFailures } from '../legacy-failures';
import { LegacyStatsService } from './legacy-stats.service';

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
