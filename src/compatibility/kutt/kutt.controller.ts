import { Body, Controller, Param, Res, UseFilters } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type express from 'express';
import { type HttpResult, SendsResult } from '../../common/http/http-result';
import {
  type Call,
  CurrentCall,
  FieldsPipe,
  KeyRoute,
  OpenRoute,
  type LinkFields,
} from '../compatible-request';
import { KuttExceptionFilter } from './kutt-exception.filter';
import { KuttService } from './kutt.service';

/** The API of Kutt (docs/contract.md#35.3). */
@ApiExcludeController()
@Controller('api/v2')
@UseFilters(KuttExceptionFilter)
export class KuttController {
  constructor(private readonly service: KuttService) {}

  @OpenRoute('GET', 'health')
  @SendsResult()
  health(): HttpResult {
    return { kind: 'text', contentType: 'text/plain; charset=utf-8', text: 'OK' };
  }

  @KeyRoute('POST', 'links', 'links.create', 'shorten:create')
  async create(
    @Body(FieldsPipe) fields: LinkFields,
    @CurrentCall() call: Call,
    @Res({ passthrough: true }) response: express.Response,
  ): Promise<object> {
    const { link, isReused } = await this.service.create(fields, call);
    response.status(isReused ? 200 : 201);
    return link;
  }

  @KeyRoute('GET', 'links', 'links.list', 'urls:read')
  list(@CurrentCall() call: Call): Promise<object> {
    return this.service.list(call);
  }

  @KeyRoute('GET', 'links/:id/stats', 'stats.link', 'stats:read', 'urls:read')
  statistics(@Param('id') id: string, @CurrentCall() call: Call): Promise<object> {
    return this.service.statistics(id, call);
  }

  /** The npm package kutt reads statistics with DELETE. */
  @KeyRoute('DELETE', 'links/:id/stats', 'stats.link', 'stats:read', 'urls:read')
  statisticsByDelete(@Param('id') id: string, @CurrentCall() call: Call): Promise<object> {
    return this.service.statistics(id, call);
  }

  @KeyRoute('PATCH', 'links/:id', 'links.update', 'urls:manage')
  update(
    @Param('id') id: string,
    @Body(FieldsPipe) fields: LinkFields,
    @CurrentCall() call: Call,
  ): Promise<object> {
    return this.service.update(id, fields, call);
  }

  @KeyRoute('DELETE', 'links/:id', 'links.delete', 'urls:manage')
  remove(@Param('id') id: string, @CurrentCall() call: Call): Promise<object> {
    return this.service.remove(id, call);
  }
}
