import {
  Body,
  Controller,
  Get,
  Headers,
  HttpCode,
  NotFoundException,
  Param,
  Res,
  UseFilters,
} from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type express from 'express';
import { Access } from '../../auth/access';
import { RateLimit } from '../../auth/rate-limit/rate-limits';
import { MethodNotAllowedError } from '../../common/errors';
import { type HttpResult, SendsResult } from '../../common/http/http-result';
import { HealthService } from '../../monitoring/health/health.service';
import {
  type Call,
  CurrentCall,
  FieldsPipe,
  KeyRoute,
  keyText,
  OpenRoute,
  type LinkFields,
} from '../compatible-request';
import { ShlinkExceptionFilter } from './shlink-exception.filter';
import { MercureNotConfiguredError } from './shlink.errors';
import { ShlinkService } from './shlink.service';

/** The version of Shlink whose API this is. */
const VERSION = '5.1.0';
const LINKS = { about: 'https://shlink.io', project: 'https://github.com/shlinkio/shlink' };
const VERSIONS = ['rest/v1', 'rest/v2', 'rest/v3'];

@ApiExcludeController()
@Controller(['rest', ...VERSIONS])
@UseFilters(ShlinkExceptionFilter)
export class ShlinkHealthController {
  constructor(private readonly service: HealthService) {}

  @OpenRoute('GET', 'health')
  async health(@Res({ passthrough: true }) response: express.Response): Promise<object> {
    const isUp = (await this.service.report()).status !== 'unhealthy';
    response.status(isUp ? 200 : 503).type('application/health+json; charset=utf-8');
    if (!isUp) response.set('X-Error-Code', 'internal_error');
    return { status: isUp ? 'pass' : 'fail', version: VERSION, links: LINKS };
  }

  @OpenRoute('ALL', 'health')
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

  @KeyRoute('POST', 'short-urls', 'links.create', 'shorten:create')
  @HttpCode(200)
  create(@Body(FieldsPipe) body: LinkFields, @CurrentCall() call: Call): Promise<object> {
    return this.service.create(body, call);
  }

  /** Declared first, because Express would pass HEAD to GET, which creates links. */
  @OpenRoute('HEAD', 'short-urls/shorten')
  refuseHead(): never {
    throw new MethodNotAllowedError('GET');
  }

  @Get('short-urls/shorten')
  @Access.key(({ query }) => keyText(query.apiKey), 'shorten:create')
  @RateLimit('links.create')
  @SendsResult()
  async shorten(
    @Headers('accept') accept: string | undefined,
    @CurrentCall() call: Call,
  ): Promise<HttpResult> {
    const { longUrl, format } = call.query;
    const body = await this.service.create({ longUrl }, call);
    const isText = format === undefined ? accept?.startsWith('text/plain') : format === 'txt';
    const contentType = 'text/plain; charset=utf-8';
    return isText ? { kind: 'text', contentType, text: body.shortUrl } : { kind: 'json', body };
  }

  @KeyRoute('GET', 'short-urls', 'links.list', 'urls:read')
  list(@CurrentCall() call: Call): Promise<object> {
    return this.service.list(call);
  }

  @KeyRoute('GET', 'short-urls/:shortCode', 'links.read', 'urls:read')
  show(@Param('shortCode') shortCode: string, @CurrentCall() call: Call): Promise<object> {
    return this.service.find(shortCode, call);
  }

  @KeyRoute('PATCH', 'short-urls/:shortCode', 'links.update', 'urls:manage')
  update(
    @Param('shortCode') shortCode: string,
    @Body(FieldsPipe) body: LinkFields,
    @CurrentCall() call: Call,
  ): Promise<object> {
    return this.service.update(shortCode, body, call);
  }

  @KeyRoute('DELETE', 'short-urls/:shortCode', 'links.delete', 'urls:manage')
  @HttpCode(204)
  remove(@Param('shortCode') shortCode: string, @CurrentCall() call: Call): Promise<void> {
    return this.service.remove(shortCode, call);
  }

  @KeyRoute('GET', 'tags', 'tags.list', 'urls:read')
  tags(@CurrentCall() call: Call): Promise<object> {
    return this.service.listTags(call);
  }

  @KeyRoute('GET', 'tags/stats', 'tags.list', 'urls:read')
  tagStatistics(@CurrentCall() call: Call): Promise<object> {
    return this.service.listTagStatistics(call);
  }

  @KeyRoute('GET', 'domains', 'domains.list', 'urls:read')
  domains(@CurrentCall() call: Call): object {
    return this.service.listDomains(call);
  }

  @KeyRoute('GET', 'visits', 'stats.account', 'stats:read', 'urls:read')
  visits(@CurrentCall() call: Call): Promise<object> {
    return this.service.countVisits(call);
  }

  @OpenRoute('GET', 'mercure-info')
  mercure(): never {
    throw new MercureNotConfiguredError();
  }

  @OpenRoute('ALL', ['', '{*path}'])
  refuseOthers(): never {
    throw new NotFoundException();
  }
}
