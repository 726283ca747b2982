import type {
  Dimension,
  StatisticsQuery,
  StoredDimension,
} from '../../../src/engines/click-engine/query/statistics-query';
import {
  type Click,
  NO_REDIRECT_MS,
  NO_VISITOR,
} from '../../../src/engines/click-engine/chunk/click';

export interface NaiveClick extends Click {
  alias: string;
  marks?: readonly string[];
}

export interface NaiveRow {
  label: string;
  clicks: number;
  visitors: number;
}

const LABELS: Record<StoredDimension, (click: Click) => string | null> = {
  browser: (click) => click.browser ?? 'Unknown',
  os: (click) => click.os ?? 'Unknown',
  device: (click) => click.device,
  country: (click) => click.country ?? 'Unknown',
  city: (click) => click.city ?? 'Unknown',
  referrer: (click) => click.referrer ?? 'Direct',
  utm_source: (click) => click.utmSource ?? '(none)',
  utm_medium: (click) => click.utmMedium ?? '(none)',
  utm_campaign: (click) => click.utmCampaign ?? '(none)',
  variant: (click) => click.variant ?? '(default)',
  trigger: (click) => ((click.signals & 2) !== 0 ? 'qr' : 'link'),
  audience: (click) => {
    if ((click.signals & 17) !== 0) return 'preview';
    return click.botName === null ? 'human' : 'bot';
  },
  bot: (click) => click.botName,
};

const formats = new Map<string, Intl.DateTimeFormat>();

function formatOf(timeZone: string): Intl.DateTimeFormat {
  const known = formats.get(timeZone);
  if (known !== undefined) return known;
  const parts = { year: 'numeric', month: '2-digit', day: '2-digit' } as const;
  const format = new Intl.DateTimeFormat('en-CA', { timeZone, ...parts });
  formats.set(timeZone, format);
  return format;
}

/** Returns the hour, day, Monday or month of a time in a zone, by formatting. */
function timeLabel(
  at: number,
  { strategy, timezone }: NonNullable<StatisticsQuery['buckets']>,
): string {
  if (strategy === 'hourly') return hourLabel(at, timezone);
  const day = formatOf(timezone).format(at);
  if (strategy === 'monthly') return day.slice(0, 7);
  if (strategy === 'daily') return day;
  const date = new Date(`${day}T00:00:00Z`);
  while (date.getUTCDay() !== 1) date.setUTCDate(date.getUTCDate() - 1);
  return date.toISOString().slice(0, 10);
}

function hourLabel(at: number, timeZone: string): string {
  const parts = new Intl.DateTimeFormat('sv', {
    timeZone,
    dateStyle: 'short',
    timeStyle: 'short',
  }).format(at);
  const offset = new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' })
    .formatToParts(at)
    .find(({ type }) => type === 'timeZoneName')
    ?.value.slice(3);
  return `${parts.slice(0, 13).replace(' ', 'T')}:00${offset === '' ? '+00:00' : (offset ?? '')}`;
}

function marksOf({ marks = [] }: NaiveClick): readonly string[] {
  return marks.length === 0 ? ['(none)'] : marks;
}

export function naivePasses(click: NaiveClick, query: StatisticsQuery): boolean {
  if (click.at < query.start || click.at > query.end) return false;
  const { audience = 'all' } = query;
  if (audience !== 'all' && LABELS.audience(click) !== audience) return false;
  return Object.entries(query.filters).every(([dimension, values]) => {
    if (dimension === 'tag') return marksOf(click).some((mark) => values.includes(mark));
    const label = LABELS[dimension as StoredDimension](click);
    if (label !== null && values.includes(label)) return true;
    return dimension === 'country' && click.countryCode !== null
      ? values.includes(click.countryCode)
      : false;
  });
}

function labelsOf(
  click: NaiveClick,
  query: StatisticsQuery,
  dimension: Dimension,
): readonly string[] {
  if (dimension === 'tag') return marksOf(click);
  if (dimension === 'time') return [timeLabel(click.at, query.buckets!)];
  if (dimension === 'short_code') return [click.alias];
  const label = LABELS[dimension](click);
  return label === null ? [] : [label];
}

/** Counts the engine's expected result click by click, with sets and maps. */
export function naiveBreakdown(
  clicks: readonly NaiveClick[],
  query: StatisticsQuery,
  dimension: Dimension,
): NaiveRow[] {
  const rows = new Map<string, { clicks: number; visitors: Set<string> }>();
  for (const click of clicks.filter((one) => naivePasses(one, query))) {
    for (const label of labelsOf(click, query, dimension)) {
      const row = rows.get(label) ?? { clicks: 0, visitors: new Set() };
      row.clicks += 1;
      if (click.visitor !== NO_VISITOR) row.visitors.add(click.visitor);
      rows.set(label, row);
    }
  }
  const list = [...rows].map(([label, row]) => ({
    label,
    clicks: row.clicks,
    visitors: row.visitors.size,
  }));
  return dimension === 'time'
    ? list.sort((a, b) => (a.label < b.label ? -1 : 1))
    : list.sort((a, b) => b.clicks - a.clicks || (a.label < b.label ? -1 : 1));
}

export function naiveSummary(clicks: readonly NaiveClick[], query: StatisticsQuery) {
  const passed = clicks.filter((click) => naivePasses(click, query));
  const times = passed.map(({ at }) => at);
  const known = passed.filter(({ visitor }) => visitor !== NO_VISITOR);
  const timed = passed.filter(({ redirectMs }) => redirectMs !== NO_REDIRECT_MS);
  return {
    clicks: passed.length,
    visitors: new Set(known.map(({ visitor }) => visitor)).size,
    withoutVisitor: passed.length - known.length,
    first: passed.length === 0 ? null : Math.min(...times),
    lastAt: passed.length === 0 ? null : Math.max(...times),
    redirectMs: timed.reduce((sum, { redirectMs }) => sum + redirectMs, 0),
    untimed: passed.length - timed.length,
  };
}
