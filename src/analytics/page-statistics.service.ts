import { Injectable } from '@nestjs/common';
import type { FileResult } from '../common/http/http-result';
import type { Link } from '../stores/links/link';
import type { BucketRule } from '../engines/click-engine/calendar/time-buckets';
import { AUDIENCE_CLASSES, type AudienceClass } from '../engines/click-engine/chunk/signals';
import { ImportedClicksService } from './report/imported-clicks.service';
import type { ImportedResponse } from './report/imported.response';
import { LINK_DIMENSIONS } from './engine/dimensions';
import { openResult, type ResultRow } from './engine/open-result';
import { type StatisticsClient, StatisticsEngine } from './engine/statistics-engine';
import {
  type Audience,
  METRICS,
  type StatisticsQuery,
} from '../engines/click-engine/query/statistics-query';
import type { Breakdown, Summary } from '../engines/click-engine/query/statistics-result';
import { attachment, contentType, type ExportFormat } from '../infrastructure/files/file-formats';
import { FileWriterThread } from '../infrastructure/files/file-writer.thread';
import { statisticsFile } from './export/statistics-file';
import type { Period } from './query/period';
import { toQuery } from './query/statistics-parameters';

const PAGE_DIMENSIONS = [...LINK_DIMENSIONS, 'bot'] as const;
export type PageDimension = (typeof PAGE_DIMENSIONS)[number];

export interface PageStatisticsQuery {
  readonly link: Pick<Link, 'id' | 'alias' | 'totalClicks'>;
  readonly period: Period;
  /** Whether the period always ends at the time of the request. */
  readonly isOpen: boolean;
  readonly audience: Audience;
  readonly buckets: BucketRule['strategy'];
  readonly client: StatisticsClient;
}

export interface PageList {
  readonly rows: readonly ResultRow[];
  readonly cut: { readonly values: number; readonly clicks: number };
}

export interface PageStatistics {
  readonly summary: Summary;
  readonly lists: Readonly<Record<PageDimension, PageList>>;
  /** Clicks per class, independent of the selected audience. */
  readonly classes: Readonly<Record<AudienceClass, number>>;
  readonly imported: ImportedResponse | undefined;
}

@Injectable()
export class PageStatisticsService {
  constructor(
    private readonly engine: StatisticsEngine,
    private readonly imported: ImportedClicksService,
    private readonly writer: FileWriterThread,
  ) {}

  /** At most `rows` rows per list, the largest; the time list is never cut. */
  async count(wanted: PageStatisticsQuery, rows: number): Promise<PageStatistics> {
    const question = { ...toContext(wanted), source: toSource(wanted), query: toPageQuery(wanted) };
    const [result, imported] = await Promise.all([
      this.engine.count(question, rows),
      this.imported.find(question.source, wanted.period, rows),
    ]);
    const lists = Object.fromEntries(
      PAGE_DIMENSIONS.map((name) => [name, toPageList(result.breakdowns[name])]),
    ) as Record<PageDimension, PageList>;
    const classes = await this.countClasses(wanted, lists);
    return { summary: result.summary, lists, classes, imported };
  }

  private async countClasses(wanted: PageStatisticsQuery, lists: PageStatistics['lists']) {
    const { rows } = wanted.audience === 'all' ? lists.audience : await this.allClasses(wanted);
    const clicks = new Map(rows.map((row) => [row.label, row.clicks]));
    return Object.fromEntries(
      AUDIENCE_CLASSES.map((name) => [name, clicks.get(name) ?? 0]),
    ) as Record<AudienceClass, number>;
  }

  private async allClasses(pageQuery: PageStatisticsQuery): Promise<PageList> {
    const wanted = { ...pageQuery, audience: 'all' } as const;
    const query = { ...toPageQuery(wanted), dimensions: ['audience'], buckets: null } as const;
    const question = { ...toContext(wanted, 'classes'), source: toSource(wanted), query };
    const { breakdowns } = await this.engine.count(question, AUDIENCE_CLASSES.length);
    return toPageList(breakdowns.audience);
  }

  /** The uncut file of docs/contract.md#10. */
  async file(wanted: PageStatisticsQuery, format: ExportFormat, bom: boolean): Promise<FileResult> {
    const { link, period } = wanted;
    const scope = {
      name: 'anon' as const,
      source: toSource(wanted),
      parameters: {
        groupBy: [...LINK_DIMENSIONS],
        metrics: [...METRICS],
        filters: {},
        audience: wanted.audience,
      },
      period,
      shortCode: link.alias,
      link: null,
      ...toContext(wanted),
    };
    const query = toQuery(scope.parameters, period);
    const imported = await this.imported.find(scope.source, period, Infinity);
    const result = await openResult(this.engine, { ...scope, query });
    return {
      kind: 'file',
      contentType: contentType(format),
      disposition: attachment(`curtail-export-${link.alias}`, format),
      open: () => this.writer.write(format, statisticsFile(scope, result, imported, 'dates'), bom),
      close: () => result.close(),
    };
  }
}

function toSource({ link: { id, alias } }: PageStatisticsQuery) {
  return { links: [{ id, alias }] };
}

function toPageQuery({ period, audience, buckets }: PageStatisticsQuery): StatisticsQuery {
  const { start, end, timezone } = period;
  return {
    start,
    end,
    dimensions: PAGE_DIMENSIONS,
    audience,
    filters: {},
    buckets: { strategy: buckets, timezone },
  };
}

/** Open periods with the same start share a key, although "now" differs per client. */
function toContext(
  { link, period, isOpen, audience, buckets, client }: PageStatisticsQuery,
  kind: 'page' | 'classes' = 'page',
) {
  const { start, end, timezone } = period;
  const requestKey = JSON.stringify([
    kind,
    start,
    isOpen ? null : end,
    timezone,
    buckets,
    audience,
  ]);
  return { client, requestKey, clicks: link.totalClicks, isPublic: true };
}

function toPageList(breakdown: Breakdown | undefined): PageList {
  if (breakdown === undefined) throw new RangeError('A breakdown of the page is missing');
  const { labels, clicks, visitors, size, clicksSum } = breakdown;
  const rows = labels.map((label, at) => ({
    label,
    clicks: clicks[at] ?? 0,
    visitors: visitors[at] ?? 0,
  }));
  const shown = rows.reduce((sum, row) => sum + row.clicks, 0);
  return { rows, cut: { values: size - rows.length, clicks: clicksSum - shown } };
}
