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
import { Access } from '../../auth/access.decorator';
import { RateLimit } from '../../auth/rate-limit/rate-limits';
import { MethodNotAllowedError } from '../../common/errors';
import { type HttpResult, SendsResult } from '../../common/http/http-result';
import { TakesForms } from '../../common/http/taken-body';
import { HealthService } from '../../monitoring/health/health.service';
import type { LinkFields } from '../compatible-links.service';
import { type Call, CurrentCall, FieldsPipe, KeyRoute } from '../compatible-request';
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
@UseFilters(ShlinkExceptionFilter)
@Access.public()
@RateLimit.none()
export class ShlinkHealthController {
  constructor(private readonly service: HealthService) {}

  @Get('health')
  async health(@Res({ passthrough: true }) response: express.Response): Promise<object> {
    const isUp = (await this.service.report()).status !== 'unhealthy';
    response.status(isUp ? 200 : 503).type('application/health+json; charset=utf-8');
    if (!isUp) response.set('X-Error-Code', 'internal_error');
    return { status: isUp ? 'pass' : 'fail', version: VERSION, links: LINKS };
  }

  @All('health')
  refuseOthers(): never {
    throw new NotFoundException();
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
  @KeyRoute('links.create', 'shorten:create')
  @TakesForms()
  create(@Body(FieldsPipe) body: LinkFields, @CurrentCall() call: Call): Promise<object> {
    return this.service.create(body, call);
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
    @CurrentCall() call: Call,
  ): Promise<HttpResult> {
    const body = await this.service.create({ longUrl }, call);
    const isText = format === undefined ? accept?.startsWith('text/plain') : format === 'txt';
    const contentType = 'text/plain; charset=utf-8';
    return isText ? { kind: 'text', contentType, text: body.shortUrl } : { kind: 'json', body };
  }

  @Get('short-urls')
  @KeyRoute('links.list', 'urls:read')
  list(@Query() query: LinkFields, @CurrentCall() call: Call): Promise<object> {
    return this.service.list(query, call);
  }

  @Get('short-urls/:shortCode')
  @KeyRoute('links.read', 'urls:read')
  show(
    @Param('shortCode') shortCode: string,
    @Query('domain') domain: unknown,
    @CurrentCall() call: Call,
  ): Promise<object> {
    return this.service.find(shortCode, domain, call);
  }

  @Patch('short-urls/:shortCode')
  @KeyRoute('links.update', 'urls:manage')
  @TakesForms()
  update(
    @Param('shortCode') shortCode: string,
    @Query('domain') domain: unknown,
    @Body(FieldsPipe) body: LinkFields,
    @CurrentCall() call: Call,
  ): Promise<object> {
    return this.service.update([shortCode, domain, body], call);
  }

  @Delete('short-urls/:shortCode')
  @HttpCode(204)
  @KeyRoute('links.delete', 'urls:manage')
  remove(
    @Param('shortCode') shortCode: string,
    @Query('domain') domain: unknown,
    @CurrentCall() call: Call,
  ): Promise<void> {
    return this.service.remove(shortCode, domain, call);
  }

  @Get('tags')
  @KeyRoute('tags.list', 'urls:read')
  tags(@Query() query: LinkFields, @CurrentCall() call: Call): Promise<object> {
    return this.service.listTags(query, call);
  }

  @Get('tags/stats')
  @KeyRoute('tags.list', 'urls:read')
  tagStatistics(@Query() query: LinkFields, @CurrentCall() call: Call): Promise<object> {
    return this.service.listTagStatistics(query, call);
  }

  @Get('domains')
  @KeyRoute('domains.list', 'urls:read')
  domains(@CurrentCall() call: Call): object {
    return this.service.listDomains(call);
  }

  @Get('visits')
  @KeyRoute('stats.account', 'stats:read', 'urls:read')
  visits(@CurrentCall() call: Call): Promise<object> {
    return this.service.countVisits(call);
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
