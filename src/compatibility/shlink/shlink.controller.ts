import {
  All,
  Body,
  Controller,
  Delete,
  Get,
  Head,
  Headers,
  HttpCode,
  NotFoundException,
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
import { MethodNotAllowedError } from '../../common/errors';
import { type HttpResult, SendsResult } from '../../common/http/http-result';
import { TakesForms } from '../../common/http/taken-body';
import { Client } from '../../infrastructure/client-address/client-address';
import { HealthService } from '../../monitoring/health/health.service';
import type { LinkFields } from '../compatible-links.service';
import { FieldsPipe, readKeyHeader } from '../compatible-request';
import { ShlinkExceptionFilter } from './shlink-exception.filter';
import { MercureNotConfiguredError } from './shlink.errors';
import { readQueryKey } from './shlink-query';
import { ShlinkService } from './shlink.service';

/** The version of Shlink whose API this is. */
const VERSION = '5.1.0';
const LINKS = { about: 'https://shlink.io', project: 'https://github.com/shlinkio/shlink' };
const VERSIONS = ['rest/v1', 'rest/v2', 'rest/v3'];

@ApiExcludeController()
@Controller(['rest', ...VERSIONS])
@Access.public()
@RateLimit.none()
export class ShlinkHealthController {
  constructor(private readonly service: HealthService) {}

  @Get('health')
  async health(@Res({ passthrough: true }) response: express.Response): Promise<object> {
    const isUp = (await this.service.report()).status !== 'unhealthy';
    response.status(isUp ? 200 : 503).type('application/health+json; charset=utf-8');
    return { status: isUp ? 'pass' : 'fail', version: VERSION, links: LINKS };
  }
}

/** The API of Shlink (docs/contract.md#35.4). */
@ApiExcludeController()
@Controller(VERSIONS)
@UseFilters(ShlinkExceptionFilter)
export class ShlinkController {
  constructor(private readonly service: ShlinkService) {}

  @Post('short-urls')
  @HttpCode(200)
  @Access.key(readKeyHeader, 'shorten:create')
  @RateLimit('links.create')
  @TakesForms()
  create(
    @Body(FieldsPipe) body: LinkFields,
    @CurrentPrincipal() caller: Principal,
    @CurrentStatisticsClient() client: StatisticsClient,
    @CurrentClient() from: Client,
  ): Promise<object> {
    return this.service.create(body, { caller, client }, from);
  }

  /** Declared first, because Express would pass HEAD to GET, which creates links. */
  @Head('short-urls/shorten')
  @Access.public()
  @RateLimit.none()
  refuseHead(): never {
    throw new MethodNotAllowedError('GET');
  }

  @Get('short-urls/shorten')
  @Access.key(readQueryKey, 'shorten:create')
  @RateLimit('links.create')
  @SendsResult()
  async shorten(
    @Query() { longUrl, format }: LinkFields,
    @Headers('accept') accept: string | undefined,
    @CurrentPrincipal() caller: Principal,
    @CurrentStatisticsClient() client: StatisticsClient,
    @CurrentClient() from: Client,
  ): Promise<HttpResult> {
    const body = await this.service.create({ longUrl }, { caller, client }, from);
    const isText = format === undefined ? accept?.startsWith('text/plain') : format === 'txt';
    const contentType = 'text/plain; charset=utf-8';
    return isText ? { kind: 'text', contentType, text: body.shortUrl } : { kind: 'json', body };
  }

  @Get('short-urls')
  @Access.key(readKeyHeader, 'urls:read')
  @RateLimit('links.list')
  list(
    @Query() query: LinkFields,
    @CurrentPrincipal() caller: Principal,
    @CurrentStatisticsClient() client: StatisticsClient,
  ): Promise<object> {
    return this.service.list(query, { caller, client });
  }

  @Get('short-urls/:shortCode')
  @Access.key(readKeyHeader, 'urls:read')
  @RateLimit('links.read')
  show(
    @Param('shortCode') shortCode: string,
    @Query('domain') domain: unknown,
    @CurrentPrincipal() caller: Principal,
    @CurrentStatisticsClient() client: StatisticsClient,
  ): Promise<object> {
    return this.service.find(shortCode, domain, { caller, client });
  }

  @Patch('short-urls/:shortCode')
  @Access.key(readKeyHeader, 'urls:manage')
  @RateLimit('links.update')
  @TakesForms()
  update(
    @Param('shortCode') shortCode: string,
    @Query('domain') domain: unknown,
    @Body(FieldsPipe) body: LinkFields,
    @CurrentPrincipal() caller: Principal,
    @CurrentStatisticsClient() client: StatisticsClient,
    @CurrentClient() from: Client,
  ): Promise<object> {
    return this.service.update([shortCode, domain, body], { caller, client }, from);
  }

  @Delete('short-urls/:shortCode')
  @HttpCode(204)
  @Access.key(readKeyHeader, 'urls:manage')
  @RateLimit('links.delete')
  remove(
    @Param('shortCode') shortCode: string,
    @Query('domain') domain: unknown,
    @CurrentPrincipal() caller: Principal,
  ): Promise<void> {
    return this.service.remove(shortCode, domain, caller);
  }

  @Get('tags')
  @Access.key(readKeyHeader, 'urls:read')
  @RateLimit('tags.list')
  tags(@Query() query: LinkFields, @CurrentPrincipal() caller: Principal): Promise<object> {
    return this.service.listTags(query, caller);
  }

  @Get('tags/stats')
  @Access.key(readKeyHeader, 'urls:read')
  @RateLimit('tags.list')
  tagStatistics(
    @Query() query: LinkFields,
    @CurrentPrincipal() caller: Principal,
    @CurrentStatisticsClient() client: StatisticsClient,
  ): Promise<object> {
    return this.service.listTagStatistics(query, { caller, client });
  }

  @Get('domains')
  @Access.key(readKeyHeader, 'urls:read', 'domains:read')
  @RateLimit('domains.list')
  domains(@CurrentPrincipal() caller: Principal): object {
    return this.service.listDomains(caller);
  }

  @Get('visits')
  @Access.key(readKeyHeader, 'stats:read', 'urls:read')
  @RateLimit('stats.account')
  visits(
    @CurrentPrincipal() caller: Principal,
    @CurrentStatisticsClient() client: StatisticsClient,
  ): Promise<object> {
    return this.service.countVisits({ caller, client });
  }

  @Get('mercure-info')
  @Access.public()
  @RateLimit.none()
  mercure(): never {
    throw new MercureNotConfiguredError();
  }

  @All(['', '{*path}'])
  @Access.public()
  @RateLimit.none()
  refuseOthers(): never {
    throw new NotFoundException();
  }
}
