import { Injectable } from '@nestjs/common';
import { AllTimeStatisticsService, toTotals } from '../../analytics/all-time-statistics.service';
import type { StatisticsClient } from '../../analytics/statistics-engine';
import type { OpenResult } from '../../analytics/open-result';
import { MAX_RESULT_ROWS } from '../../engines/click-engine/statistics-result';
import type { FileResult, HttpResult } from '../../common/http/http-result';
import type { Viewer } from '../../common/http/page';
import { readPageQuery, typedQuery } from '../stats-page/page-query';
import {
  downloadBom,
  downloadFormat,
  StatisticsPageService,
} from '../stats-page/statistics-page.service';
import type { LegacyInput } from '../legacy-request';
import { ShortCodeMissingError } from './legacy-stats.errors';
import {
  type LegacyFacts,
  type LegacyStatsResponse,
  presentLegacyFacts,
  toLegacyStatsResponse,
} from './legacy-stats.response';
import type { PasswordCheck } from './password-check';
import { PublicLinksService } from './public-links.service';

/**
 * The code in what somebody typed: a code, or a whole short URL, of which the part after the last
 * `/` counts (docs/contract.md#13.5). Percent-encoded emoji are decoded.
 */
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

/** A request for the v0 statistics of a link, in whatever form. */
export interface LegacyStatsRequest {
  code: string;
  asker: StatisticsClient;
  checkPassword: PasswordCheck;
}

/** A request for the page of a link, or for a file from there: `input` reads its parameters. */
interface StatisticsPageRequest extends LegacyStatsRequest {
  input: LegacyInput;
  viewer: StatisticsViewer;
}

/** The visitor of a page. */
export interface StatisticsViewer {
  /** Null where nobody is signed in. */
  readonly ownerId: string | null;
  readonly shown: Viewer | null;
}

/** Uncut figures that files are written from; the receiver closes them. */
export interface OpenLegacyStats {
  facts: LegacyFacts;
  figures: OpenResult;
}

/** The v0 statistics of a link, as object, as page and for files (docs/contract.md#13.3 to 13.5). */
@Injectable()
export class LegacyStatsService {
  constructor(
    private readonly links: PublicLinksService,
    private readonly lifetimes: AllTimeStatisticsService,
    private readonly pages: StatisticsPageService,
  ) {}

  /** POST /stats/{code}: the object, or the page when that is asked for (docs/contract.md#13.3). */
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

  /** Parameters are the page's: the object has none, and what it does not know it ignores. */
  async page(requested: StatisticsPageRequest): Promise<string> {
    const { code, asker, checkPassword, input, viewer } = requested;
    const query = readPageQuery(typedQuery(input), Date.now());
    const link = await this.links.find(code, checkPassword, viewer.ownerId);
    return this.pages.page({ link, query, client: asker }, viewer.shown);
  }

  /** A file with what the page shows, in the form of v1 (docs/contract.md#13.5). */
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
