import { Injectable } from '@nestjs/common';
import { PAGE_POLICY } from '../../common/http/page';
import { wantsLegacyJson } from '../legacy-input';
import { type LegacyStatsRequest, LegacyStatsService } from './legacy-stats.service';

/** POST /stats/{code}: JSON, or the page when `Accept` asks for one (docs/contract.md#13.3). */
@Injectable()
export class StatsResponseService {
  constructor(private readonly service: LegacyStatsService) {}

  async send(asked: LegacyStatsRequest): Promise<void> {
    const { request, response } = asked;
    response.set('Cache-Control', 'no-store');
    if (wantsLegacyJson(request)) {
      response.status(200).json(await this.service.stats(asked));
      return;
    }
    const markup = await this.service.page(asked);
    response.status(200).set('Content-Security-Policy', PAGE_POLICY).type('html').send(markup);
  }
}
