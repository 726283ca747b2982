import { AUDIENCE_CLASSES } from '../../engines/click-engine/chunk/click';
import type { Audience } from '../../engines/click-engine/query/statistics-query';
import type { Viewer } from '../../common/http/page';
import { Injectable } from '@nestjs/common';
import { zonedIso } from '../../engines/click-engine/calendar/time-buckets';
import type { StatisticsClient } from '../../analytics/engine/statistics-engine';
import { EXPORT_FORMATS, type ExportFormat } from '../../infrastructure/files/file-formats';
import {
  type LinkStatisticsQuery,
  LinkStatisticsService,
  type PageStatistics,
} from '../../analytics/link-statistics.service';
import type { RequestedFile } from '../../analytics/export/export.service';
import type { FileResult } from '../../common/http/http-result';
import { DAY_MS } from '../../common/time';
import { GeoOptions, HttpOptions } from '../../config/options';
import { type Link, reportedStatus } from '../../stores/links/link';
import { shortUrl } from '../../links/making/link.response';
import { formatCount, groupDigits, share } from '../../pages/wording';
import { bucketsFor, type PageQuery } from './page-query';
import { withPartials } from '../../pages/chart-drawing';
import { hasCampaigns, pageLists } from './page-lists';
import { statisticsPage } from './statistics-page';
import { type Fact, SHOWN_ROWS } from './statistics-view';
import { PageQueryError } from '../request/legacy.errors';

export interface RequestedStatistics {
  readonly link: Link;
  readonly query: PageQuery;
  readonly client: StatisticsClient;
}

@Injectable()
export class StatisticsPageService {
  constructor(
    private readonly statistics: LinkStatisticsService,
    private readonly http: HttpOptions,
    private readonly geo: GeoOptions,
  ) {}

  async page(requested: RequestedStatistics, viewer: Viewer | null): Promise<string> {
    const { link, query } = requested;
    const now = Date.now();
    const source = pageStatisticsQuery(requested);
    const counted = await this.statistics.countPage(source, SHOWN_ROWS);
    const { summary, lists } = counted;
    const isOpen = reportedStatus(link, now) === 'ACTIVE';
    return statisticsPage({
      alias: link.alias,
      viewer,
      isPrivate: link.privateStats,
      shortUrl: shortUrl(this.http.baseUrl, link.alias),
      destination: isOpen ? link.longUrl : null,
      query,
      period: periodInWords(source),
      totals: totals(source, counted),
      otherClasses: otherClasses(counted, query.audience),
      series: series(source, lists),
      lists: pageLists(lists),
      hasCampaigns: hasCampaigns(lists),
      clicks: summary.clicks,
      allClicks: Math.max(link.totalClicks, summary.clicks),
      facts: [...linkFacts(link, query), ...lastClick(counted, query)],
      showsPlaceSource: this.geo.dbPath === null,
    });
  }

  file(file: RequestedFile, requested: RequestedStatistics): Promise<FileResult> {
    return this.statistics.file(pageStatisticsQuery(requested), file);
  }
}

/** Throws 422 if the format is unknown. */
export function downloadFormat(text: string | null): ExportFormat {
  const format = EXPORT_FORMATS.find((each) => each === text);
  if (format !== undefined) return format;
  throw new PageQueryError(422, 'format', `format must be one of ${EXPORT_FORMATS.join(', ')}`);
}

/** Whether CSV files begin with a byte-order mark. Throws 422 for other words. */
export function downloadBom(text: string | null): boolean {
  if (text === null || text === 'true' || text === 'false') return text === 'true';
  throw new PageQueryError(422, 'bom', 'bom must be true or false');
}

function pageStatisticsQuery({ link, query, client }: RequestedStatistics): LinkStatisticsQuery {
  const { end, isOpen, timezone, audience } = query;
  const start = Math.min(query.start ?? link.createdAt.getTime(), end);
  const period = { start, end, timezone };
  const buckets = bucketsFor(start, end);
  return { link, period, isOpen, audience, buckets, merged: true, client };
}

function series(
  { buckets, period, isOpen }: LinkStatisticsQuery,
  { time }: PageStatistics['lists'],
) {
  const from = zonedIso(period.start, period.timezone).slice(0, 10);
  return { buckets, rows: withPartials(buckets, time.rows, { from, isOpen }) };
}

function periodInWords({ period: { start, end, timezone } }: LinkStatisticsQuery): string {
  const [first, last] = [start, end].map((at) => zonedIso(at, timezone).slice(0, 10));
  return `${first ?? ''}${first === last ? '' : ` – ${last ?? ''}`}, time zone ${timezone}`;
}

function totals(
  { period: { start, end }, audience }: LinkStatisticsQuery,
  { summary: { clicks, visitors }, classes, imported }: PageStatistics,
): Fact[] {
  // An incomplete day counts as a whole day.
  const perDay = clicks / Math.max(1, Math.ceil((end - start) / DAY_MS));
  const past = imported === undefined ? 0 : imported.clicks;
  const before = past === 0 ? '' : ` + ${groupDigits(past)} imported`;
  const perVisitor = visitors === 0 ? '0' : tenths(clicks / visitors);
  return [
    { name: 'Clicks', value: groupDigits(clicks) + before },
    { name: 'Visitors', value: groupDigits(visitors) },
    {
      name: 'Clicks per day',
      value: perDay >= 10 ? groupDigits(Math.round(perDay)) : tenths(perDay),
    },
    audience === 'all'
      ? byBots(classes.bot, clicks)
      : { name: 'Clicks per visitor', value: perVisitor },
  ];
}

const BY_CLASS = { human: 'people', preview: 'previews', bot: 'bots' } as const;

/** Describes clicks that the audience excludes, or clicks by previews and bots among all. */
function otherClasses({ classes }: PageStatistics, audience: Audience): string | null {
  const shown = audience === 'all' ? 'human' : audience;
  const counts = AUDIENCE_CLASSES.filter((name) => name !== shown && classes[name] > 0).map(
    (name) => `${groupDigits(classes[name])} by ${BY_CLASS[name]}`,
  );
  if (counts.length === 0) return null;
  return `${audience === 'all' ? 'Among these clicks' : 'Not included'}: ${counts.join(' and ')}.`;
}

function byBots(clicks: number, all: number): Fact {
  return { name: 'Clicks by bots', value: `${groupDigits(clicks)} (${share(clicks, all)})` };
}

function tenths(value: number): string {
  return value.toLocaleString('en', { maximumFractionDigits: 1 });
}

function linkFacts(link: Link, { timezone }: PageQuery): Fact[] {
  const { maxClicks, expireAfter } = link;
  const closes = [
    ...(maxClicks === null ? [] : [`after ${formatCount(maxClicks, 'click')}`]),
    ...(expireAfter === null ? [] : [`on ${minute(expireAfter.getTime(), timezone)}`]),
  ];
  return [
    { name: 'Created', value: minute(link.createdAt.getTime(), timezone) },
    { name: 'Closes', value: closes.length === 0 ? 'never' : closes.join(' or ') },
    { name: 'Password', value: link.passwordHash === null ? 'none' : 'required' },
    { name: 'Known bots', value: link.blockBots ? 'blocked' : 'allowed' },
  ];
}

function lastClick({ summary: { last } }: PageStatistics, { timezone }: PageQuery): Fact[] {
  if (last === null) return [];
  const { browser, os, country } = last;
  const visitor = [browser, os, country].filter((part) => part !== 'Unknown');
  return [{ name: 'Last click', value: [minute(last.at, timezone), ...visitor].join(', ') }];
}

/** `2026-11-21 09:30 UTC` */
function minute(at: number, timezone: string): string {
  return `${zonedIso(at, timezone).slice(0, 16).replace('T', ' ')} ${timezone}`;
}
