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
import { Access } from '../../auth/access.decorator';
import { RateLimit } from '../../auth/rate-limit/rate-limits';
import { type HttpResult, SendsResult } from '../../common/http/http-result';
import { TakesForms } from '../../common/http/taken-body';
import type { LinkFields } from '../compatible-links.service';
import { type Call, CurrentCall, FieldsPipe, KeyRoute } from '../compatible-request';
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
  @KeyRoute('links.create', 'shorten:create')
  @TakesForms()
  async create(
    @Body(FieldsPipe) fields: LinkFields,
    @CurrentCall() call: Call,
    @Res({ passthrough: true }) response: express.Response,
  ): Promise<object> {
    const { link, isReused } = await this.service.create(fields, call);
    response.status(isReused ? 200 : 201);
    return link;
  }

  @Get('links')
  @KeyRoute('links.list', 'urls:read')
  list(@Query() query: LinkFields, @CurrentCall() call: Call): Promise<object> {
    return this.service.list(query, call);
  }

  @Get('links/:id/stats')
  @KeyRoute('stats.link', 'stats:read', 'urls:read')
  statistics(@Param('id') id: string, @CurrentCall() call: Call): Promise<object> {
    return this.service.statistics(id, call);
  }

  /** The npm package kutt reads statistics by DELETE. */
  @Delete('links/:id/stats')
  @HttpCode(200)
  @KeyRoute('stats.link', 'stats:read', 'urls:read')
  statisticsByDelete(@Param('id') id: string, @CurrentCall() call: Call): Promise<object> {
    return this.service.statistics(id, call);
  }

  @Patch('links/:id')
  @KeyRoute('links.update', 'urls:manage')
  @TakesForms()
  update(
    @Param('id') id: string,
    @Body(FieldsPipe) fields: LinkFields,
    @CurrentCall() call: Call,
  ): Promise<object> {
    return this.service.update(id, fields, call);
  }

  @Delete('links/:id')
  @HttpCode(200)
  @KeyRoute('links.delete', 'urls:manage')
  remove(@Param('id') id: string, @CurrentCall() call: Call): Promise<object> {
    return this.service.remove(id, call);
  }
}
