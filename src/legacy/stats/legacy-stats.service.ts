import { Injectable } from '@nestjs/common';
import { AllTimeStatisticsService, toTotals } from '../../analytics/all-time-statistics.service';
import type { StatisticsClient } from '../../analytics/engine/statistics-engine';
import type { OpenResult } from '../../analytics/engine/open-result';
import { MAX_RESULT_ROWS } from '../../engines/click-engine/query/statistics-result';
import type { FileResult, HttpResult } from '../../common/http/http-result';
import type { Viewer } from '../../common/http/page';
import { readPageQuery, typedQuery } from '../stats-page/page-query';
import {
  downloadBom,
  downloadFormat,
  StatisticsPageService,
} from '../stats-page/statistics-page.service';
import type { LegacyInput } from '../request/legacy-request';
import {
  type LegacyFacts,
  type LegacyStatsResponse,
  presentLegacyFacts,
  toLegacyStatsResponse,
} from './legacy-stats.response';
import type { PasswordCheck } from './password-check';
import { PublicLinksService } from './public-links.service';
import { ShortCodeMissingError } from '../request/legacy.errors';

/** Code from a typed code or short URL: the part after the last `/`, decoded. */
export function typedShortCode(typed: string | null): string {
  const path = (typed ?? '')
    .trim()
    .replace(/[?#].*$/s, '')
    .replace(/\/+$/, '');
  const code = decodedCode(path.slice(path.lastIndexOf('/') + 1));
  if (code === '') throw new ShortCodeMissingError();
  return code.toWellFormed();
}

function decodedCode(code: string): string {
  try {
    return decodeURIComponent(code);
  } catch {
    return code;
  }
}

export interface LegacyStatsRequest {
  code: string;
  asker: StatisticsClient;
  checkPassword: PasswordCheck;
}

interface StatisticsPageRequest extends LegacyStatsRequest {
  input: LegacyInput;
  viewer: StatisticsViewer;
}

export interface StatisticsViewer {
  /** Null if not signed in. */
  readonly ownerId: string | null;
  readonly shown: Viewer | null;
}

/** Uncut figures for files; the receiver must close them. */
export interface OpenLegacyStats {
  facts: LegacyFacts;
  figures: OpenResult;
}

@Injectable()
export class LegacyStatsService {
  constructor(
    private readonly links: PublicLinksService,
    private readonly lifetimes: AllTimeStatisticsService,
    private readonly pages: StatisticsPageService,
  ) {}

  async objectOrPage(requested: StatisticsPageRequest, wantsJson: boolean): Promise<HttpResult> {
    return wantsJson
      ? { kind: 'json', body: await this.stats(requested) }
      : { kind: 'page', markup: await this.page(requested) };
  }

  private async stats({
    code,
    asker,
    checkPassword,
  }: LegacyStatsRequest): Promise<LegacyStatsResponse> {
    const link = await this.links.find(code, checkPassword);
    const now = Date.now();
    const query = { link, underscored: true, client: asker, now };
    return toLegacyStatsResponse(
      link,
      await this.lifetimes.countAllTime(query, MAX_RESULT_ROWS),
      now,
    );
  }

  /** Only the page validates parameters; the object ignores unknown ones. */
  async page(requested: StatisticsPageRequest): Promise<string> {
    const { code, asker, checkPassword, input, viewer } = requested;
    const query = readPageQuery(typedQuery(input), Date.now());
    const link = await this.links.find(code, checkPassword, viewer.ownerId);
    return this.pages.page({ link, query, client: asker }, viewer.shown);
  }

  async download(requested: StatisticsPageRequest): Promise<FileResult> {
    const { code, asker, checkPassword, input, viewer } = requested;
    const file = { format: downloadFormat(input('format')), bom: downloadBom(input('bom')) };
    const query = readPageQuery(typedQuery(input), Date.now());
    const link = await this.links.find(code, checkPassword, viewer.ownerId);
    return this.pages.file(file, { link, query, client: asker });
  }

  async open({ code, asker, checkPassword }: LegacyStatsRequest): Promise<OpenLegacyStats> {
    const link = await this.links.find(code, checkPassword);
    const now = Date.now();
    const figures = await this.lifetimes.open({ link, underscored: true, client: asker, now });
    return { facts: presentLegacyFacts(link, toTotals(figures.summary), now), figures };
  }
}
