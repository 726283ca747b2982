import { Injectable } from '@nestjs/common';
import {
  type LinkStatisticsQuery,
  LinkStatisticsService,
} from '../../analytics/link-statistics.service';
import type { OpenResult } from '../../analytics/engine/statistics-engine';
import { MAX_RESULT_ROWS } from '../../engines/click-engine/query/statistics-query';
import type { FileResult, HttpResult } from '../../common/http/http-result';
import { decodeCode, toAlias } from '../../stores/links/alias-form';
import type { Link } from '../../stores/links/link';
import { LinkReads } from '../../stores/links/link-reads.repository';
import { readPageQuery, typedQuery } from '../stats-page/page-query';
import {
  downloadBom,
  downloadFormat,
  type RequestedStatistics,
  StatisticsPageService,
} from '../stats-page/statistics-page.service';
import { ShortCodeMissingError } from '../request/legacy.errors';
import { StatisticsUnknownError } from '../refusals/legacy-stats.errors';
import {
  LEGACY_DIMENSIONS,
  type LegacyFacts,
  presentLegacyFacts,
  toLegacyStatsResponse,
} from './legacy-stats.response';
import type { PasswordCheck, StatisticsRequest } from './statistics-request';

@Injectable()
export class PublicLinksService {
  constructor(private readonly repository: LinkReads) {}

  /**
   * @param viewer the account that views the page and always sees its own links
   * @throws StatisticsUnknownError, errors from the password check
   */
  async find(
    code: string,
    checkPassword: PasswordCheck,
    viewer: string | null = null,
  ): Promise<Link> {
    const alias = toAlias(code);
    const link = alias === null ? null : await this.repository.findVisited(alias);
    if (link !== null && viewer !== null && link.ownerId === viewer) return link;
    if (link === null || link.privateStats) throw new StatisticsUnknownError();
    if (link.passwordHash !== null) await checkPassword(link);
    return link;
  }
}

/** Returns the code from a typed code or short URL: the decoded part after the last `/`. */
export function typedShortCode(typed: string | null): string {
  const path = (typed ?? '')
    .trim()
    .replace(/[?#].*$/s, '')
    .replace(/\/+$/, '');
  const code = decodeCode(path.slice(path.lastIndexOf('/') + 1));
  if (code === '') throw new ShortCodeMissingError();
  return code.toWellFormed();
}

/** Complete figures for files. The caller must close them. */
export interface OpenLegacyStats {
  facts: LegacyFacts;
  figures: OpenResult;
}

@Injectable()
export class LegacyStatsService {
  constructor(
    private readonly links: PublicLinksService,
    private readonly statistics: LinkStatisticsService,
    private readonly pages: StatisticsPageService,
  ) {}

  async objectOrPage(requested: StatisticsRequest): Promise<HttpResult> {
    if (!requested.wantsJson) return { kind: 'page', markup: await this.page(requested) };
    const query = await this.findAllTime(requested);
    const counted = await this.statistics.count(query, LEGACY_DIMENSIONS, MAX_RESULT_ROWS);
    return { kind: 'json', body: toLegacyStatsResponse(query.link, counted, query.period.end) };
  }

  /** Only the page validates parameters. The JSON object ignores unknown parameters. */
  async page(requested: StatisticsRequest): Promise<string> {
    return this.pages.page(await this.findRequested(requested), requested.viewer);
  }

  async download(requested: StatisticsRequest): Promise<FileResult> {
    const { input } = requested;
    const file = { format: downloadFormat(input('format')), bom: downloadBom(input('bom')) };
    return this.pages.file(file, await this.findRequested(requested));
  }

  async open(requested: StatisticsRequest): Promise<OpenLegacyStats> {
    const query = await this.findAllTime(requested);
    const figures = await this.statistics.open(query, LEGACY_DIMENSIONS);
    return { facts: presentLegacyFacts(query.link, figures.summary, query.period.end), figures };
  }

  private async findRequested(requested: StatisticsRequest): Promise<RequestedStatistics> {
    const { code, client, checkPassword, input, ownerId } = requested;
    const query = readPageQuery(typedQuery(input), Date.now());
    return { link: await this.links.find(code, checkPassword, ownerId), query, client };
  }

  /** Returns a row per UTC day since the link's creation, and all clicks. */
  private async findAllTime({ code, client, checkPassword }: StatisticsRequest) {
    const link = await this.links.find(code, checkPassword);
    const now = Date.now();
    return {
      link,
      period: { start: Math.min(link.createdAt.getTime(), now), end: now, timezone: 'UTC' },
      isOpen: true,
      audience: 'all',
      buckets: 'daily',
      client,
      underscored: ['referrer', 'bot'],
    } satisfies LinkStatisticsQuery;
  }
}
