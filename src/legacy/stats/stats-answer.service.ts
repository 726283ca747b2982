import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { PAGE_POLICY } from '../../http/page';
import { wantsLegacyJson } from '../legacy-form';
import { LegacyStatsService } from './legacy-stats.service';

/** POST /stats/{code}: JSON, or the page when `Accept` asks for one (contract 13.3). */
@Injectable()
export class StatsAnswer {
  constructor(private readonly service: LegacyStatsService) {}

  async send(code: string, request: Request, response: Response): Promise<void> {
    response.set('Cache-Control', 'no-store');
    if (wantsLegacyJson(request)) {
      response.status(200).json(await this.service.stats(code, request, response));
      return;
    }
    const markup = await this.service.page(code, request, response);
    response.status(200).set('Content-Security-Policy', PAGE_POLICY).type('html').send(markup);
  }
}
