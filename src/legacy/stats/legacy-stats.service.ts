import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { LifetimeService } from '../../analytics/lifetime.service';
import { HttpOptions } from '../../config/options';
import { shortUrl } from '../../links/link.presenter';
import { statisticsPage } from '../../pages/statistics/statistics-page';
import { legacyInput } from '../legacy-input';
import { PublicLinksService } from '../public-links.service';
import type { LegacyStats } from './legacy-stats';
import { presentLegacyStats } from './legacy-stats.presenter';
import { viewOf } from './legacy-stats.view';
import { shortCode } from './short-code';

/** The v0 statistics of a link, as object and as page (contract 13.3, 13.5). */
@Injectable()
export class LegacyStatsService {
  constructor(
    private readonly links: PublicLinksService,
    private readonly lifetimes: LifetimeService,
    private readonly http: HttpOptions,
  ) {}

  async stats(code: string, request: Request, response: Response): Promise<LegacyStats> {
    const link = await this.links.find(code, request, response);
    const now = Date.now();
    return presentLegacyStats(link, await this.lifetimes.of(link, now), now);
  }

  async page(code: string, request: Request, response: Response): Promise<string> {
    const link = await this.links.find(code, request, response);
    const now = Date.now();
    const lifetime = await this.lifetimes.of(link, now);
    const address = shortUrl(this.http.baseUrl, link.alias);
    return statisticsPage(viewOf(presentLegacyStats(link, lifetime, now), lifetime, address));
  }

  /** Where the form of GET /stats leads; throws ShortCodeMissingError. */
  pathFromForm(request: Request): string {
    return `/stats/${encodeURIComponent(shortCode(legacyInput(request)('short_code')))}`;
  }
}
