import { Injectable } from '@nestjs/common';
import type { FileResult } from '../common/http/http-result';
import type { BucketRule } from '../engines/click-engine/calendar/time-buckets';
import { AUDIENCE_CLASSES, type AudienceClass } from '../engines/click-engine/chunk/click';
import {
  type Audience,
  type Dimension,
  METRICS,
  type Summary,
} from '../engines/click-engine/query/statistics-query';
import type { Link } from '../stores/links/link';
import { LINK_DIMENSIONS } from './engine/dimensions';
import {
  openResult,
  type OpenResult,
  type ResultList,
  type StatisticsClient,
  StatisticsEngine,
  type StatisticsQuestion,
  toList,
} from './engine/statistics-engine';
import { ExportService, type RequestedFile } from './export/export.service';
import type { Period } from './query/period';
import { toLinkName } from './scope/statistics-scope';
import { ImportedClicksService } from './report/imported-clicks.service';
import type { ImportedResponse } from './report/imported.response';

const PAGE_DIMENSIONS = [...LINK_DIMENSIONS, 'bot'] as const;
export type PageDimension = (typeof PAGE_DIMENSIONS)[number];

export interface LinkStatisticsQuery {
  readonly link: Pick<Link, 'alias' | 'clicksDeletedAt' | 'id' | 'totalClicks'>;
  readonly period: Period;
  /** Whether the period ends at request time. */
  readonly isOpen: boolean;
  readonly audience: Audience;
  readonly buckets: BucketRule['strategy'];
  readonly client: StatisticsClient;
  /** Dimensions whose values have `_` instead of `.` (docs/contract.md#13.3). */
  readonly underscored?: readonly Dimension[];
  /** Whether similar values are merged, as with `merge=true`. */
  readonly merged?: boolean;
}

export interface LinkStatistics<Name extends Dimension> {
  readonly summary: Summary;
  readonly lists: Readonly<Record<Name, ResultList>>;
}

export interface PageStatistics extends LinkStatistics<PageDimension> {
  /** Number of clicks per class, independent of the selected audience. */
  readonly classes: Readonly<Record<AudienceClass, number>>;
  readonly imported: ImportedResponse | undefined;
}

/** A link's statistics for its public page, v0 and their files. The caller checks access. */
@Injectable()
export class LinkStatisticsService {
  constructor(
    private readonly engine: StatisticsEngine,
    private readonly imported: ImportedClicksService,
    private readonly exports: ExportService,
  ) {}

  /** Returns the largest rows of each list, up to `rows`, and the complete time list. */
  async count<Name extends Dimension>(
    wanted: LinkStatisticsQuery,
    dimensions: readonly Name[],
    rows: number,
  ): Promise<LinkStatistics<Name>> {
    const { summary, breakdowns } = await this.engine.count(toQuestion(wanted, dimensions), rows);
    const lists = Object.fromEntries(dimensions.map((name) => [name, toList(breakdowns[name])]));
    return { summary, lists: lists as Record<Name, ResultList> };
  }

  /** Returns complete lists for files. The caller must close the result. */
  open(wanted: LinkStatisticsQuery, dimensions: readonly Dimension[]): Promise<OpenResult> {
    return openResult(this.engine, toQuestion(wanted, dimensions));
  }

  async countPage(wanted: LinkStatisticsQuery, rows: number): Promise<PageStatistics> {
    const [counted, imported] = await Promise.all([
      this.count(wanted, PAGE_DIMENSIONS, rows),
      this.imported.find(toSource(wanted), wanted.period, rows),
    ]);
    const { audience } =
      wanted.audience === 'all' ? counted.lists : await this.countAudiences(wanted);
    const clicks = new Map(audience.rows.map((row) => [row.label, row.clicks]));
    const classes = AUDIENCE_CLASSES.map((name) => [name, clicks.get(name) ?? 0]);
    return {
      ...counted,
      classes: Object.fromEntries(classes) as Record<AudienceClass, number>,
      imported,
    };
  }

  /** The file described in docs/contract.md#10, with complete lists. */
  file(wanted: LinkStatisticsQuery, file: RequestedFile): Promise<FileResult> {
    const { link, period, audience, merged, client } = wanted;
    const groupBy = [...LINK_DIMENSIONS];
    const scope = {
      ...known(wanted),
      name: 'anon' as const,
      source: toSource(wanted),
      parameters: { groupBy, metrics: [...METRICS], filters: {}, audience, merge: merged },
      period,
      shortCode: link.alias,
      link: null,
    };
    return this.exports.file(scope, client, file, { alias: link.alias, times: 'dates' });
  }

  private async countAudiences(wanted: LinkStatisticsQuery) {
    const allClasses = { ...wanted, audience: 'all' } as const;
    return (await this.count(allClasses, ['audience'], AUDIENCE_CLASSES.length)).lists;
  }
}

function toSource({ link }: LinkStatisticsQuery) {
  return { links: [toLinkName(link, link.alias)] };
}

function toQuestion(
  wanted: LinkStatisticsQuery,
  dimensions: readonly Dimension[],
): StatisticsQuestion {
  const { period, audience, buckets, underscored, merged, client } = wanted;
  const { start, end, timezone } = period;
  const time = dimensions.includes('time') ? { strategy: buckets, timezone } : null;
  const values = { dimensions, audience, filters: {}, underscored, merged };
  const query = { start, end, ...values, buckets: time };
  return { ...known(wanted), source: toSource(wanted), query, client };
}

/** Periods that are still open have the same key if they have the same start. */
function known({ link, period, isOpen, audience, buckets, merged }: LinkStatisticsQuery) {
  const { start, end, timezone } = period;
  const range = [start, isOpen ? null : end, timezone, buckets];
  const requestKey = JSON.stringify([...range, audience, merged]);
  return { requestKey, clicks: link.totalClicks, isPublic: true };
}
