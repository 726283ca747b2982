import {
  Body,
  Controller,
  Delete,
  Get,
  HttpCode,
  Param,
  Patch,
  Post,
  Query,
  Res,
  UseFilters,
} from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type express from 'express';
import { CurrentStatisticsClient } from '../../analytics/engine/statistics-client.decorator';
import type { StatisticsClient } from '../../analytics/engine/statistics-engine';
import { Access } from '../../auth/access.decorator';
import { CurrentClient, CurrentPrincipal } from '../../auth/caller';
import type { Principal } from '../../auth/principal';
import { RateLimit } from '../../auth/rate-limit/rate-limits';
import { type HttpResult, SendsResult } from '../../common/http/http-result';
import { TakesForms } from '../../common/http/taken-body';
import { Client } from '../../infrastructure/client-address/client-address';
import type { LinkFields } from '../compatible-links.service';
import { FieldsPipe, readKeyHeader } from '../compatible-request';
import { KuttExceptionFilter } from './kutt-exception.filter';
import { KuttService } from './kutt.service';

/** The API of Kutt (docs/contract.md#35.3). */
@ApiExcludeController()
@Controller('api/v2')
@UseFilters(KuttExceptionFilter)
export class KuttController {
  constructor(private readonly service: KuttService) {}

  @Get('health')
  @Access.public()
  @RateLimit.none()
  @SendsResult()
  health(): HttpResult {
    return { kind: 'text', contentType: 'text/plain; charset=utf-8', text: 'OK' };
  }

  @Post('links')
  @Access.key(readKeyHeader, 'shorten:create')
  @RateLimit('links.create')
  @TakesForms()
  async create(
    @Body(FieldsPipe) fields: LinkFields,
    @CurrentPrincipal() caller: Principal,
    @CurrentClient() client: Client,
    @Res({ passthrough: true }) response: express.Response,
  ): Promise<object> {
    const { link, isReused } = await this.service.create(fields, caller, client);
    response.status(isReused ? 200 : 201);
    return link;
  }

  @Get('links')
  @Access.key(readKeyHeader, 'urls:read')
  @RateLimit('links.list')
  list(@Query() query: LinkFields, @CurrentPrincipal() caller: Principal): Promise<object> {
    return this.service.list(query, caller);
  }

  @Get('links/:id/stats')
  @Access.key(readKeyHeader, 'stats:read', 'urls:read')
  @RateLimit('stats.link')
  statistics(
    @Param('id') id: string,
    @CurrentPrincipal() caller: Principal,
    @CurrentStatisticsClient() client: StatisticsClient,
  ): Promise<object> {
    return this.service.statistics(id, caller, client);
  }

  /** The npm package kutt reads statistics by DELETE. */
  @Delete('links/:id/stats')
  @HttpCode(200)
  @Access.key(readKeyHeader, 'stats:read', 'urls:read')
  @RateLimit('stats.link')
  statisticsByDelete(
    @Param('id') id: string,
    @CurrentPrincipal() caller: Principal,
    @CurrentStatisticsClient() client: StatisticsClient,
  ): Promise<object> {
    return this.service.statistics(id, caller, client);
  }

  @Patch('links/:id')
  @Access.key(readKeyHeader, 'urls:manage')
  @RateLimit('links.update')
  @TakesForms()
  update(
    @Param('id') id: string,
    @Body(FieldsPipe) fields: LinkFields,
    @CurrentPrincipal() caller: Principal,
    @CurrentClient() client: Client,
  ): Promise<object> {
    return this.service.update(id, fields, caller, client);
  }

  @Delete('links/:id')
  @HttpCode(200)
  @Access.key(readKeyHeader, 'urls:manage')
  @RateLimit('links.delete')
  remove(@Param('id') id: string, @CurrentPrincipal() caller: Principal): Promise<object> {
    return this.service.remove(id, caller);
  }
}
