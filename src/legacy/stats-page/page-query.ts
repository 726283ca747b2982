import type { Audience } from '../../engines/click-engine/statistics-query';
import { rolled } from '../../engines/click-engine/calendar/time-buckets';
import { timeZoneName } from '../../engines/click-engine/calendar/time-zone';
import { localDay, startOfDay } from '../../engines/click-engine/calendar/zone-clock';
import type { PageStatisticsQuery } from '../../analytics/page-statistics.service';
import { CurtailError } from '../../common/errors';
import { DAY_MS } from '../../common/time';

/** The ranges that the page offers: how many days they have, today included. */
export const RANGES = {
  today: { label: 'Today', days: 1 },
  '7d': { label: '7 days', days: 7 },
  '30d': { label: '30 days', days: 30 },
  '90d': { label: '90 days', days: 90 },
  all: { label: 'All time', days: null },
} as const;
export type Range = keyof typeof RANGES;

/** The audiences whose clicks the page counts. */
export const AUDIENCE_TITLES = {
  all: 'All',
  human: 'People',
  preview: 'Previews',
  bot: 'Bots',
} as const satisfies Record<Audience, string>;

const PARAMETERS = ['range', 'from', 'to', 'timezone', 'audience'] as const;
type Parameter = (typeof PARAMETERS)[number];

/** The parameters of the statistics page as somebody has typed them; null for an absent one. */
export type TypedQuery = Readonly<Record<Parameter, string | null>>;

/** The parameters of a statistics page, as they were read (docs/contract.md#13.5). */
export interface PageQuery {
  /** Null where two dates were given. */
  readonly range: Range | null;
  readonly audience: Audience;
  readonly timezone: string;
  /** Milliseconds; null = since the link was made. */
  readonly start: number | null;
  readonly end: number;
  readonly isOpen: boolean;
  /** The two dates, as they were given. */
  readonly from: string | null;
  readonly to: string | null;
}

/** 422 for what a parameter cannot be, 400 for dates that make no range; the page says so. */
export class PageQueryError extends CurtailError {
  constructor(status: 400 | 422, field: Parameter | 'format' | 'bom', message: string) {
    super(status, 'validation_error', message, { field });
  }
}

/** The parameters of a request, by what reads one of them. */
export function typedQuery(input: (field: string) => string | null): TypedQuery {
  return Object.fromEntries(PARAMETERS.map((name) => [name, input(name)])) as TypedQuery;
}

const MAX_PARAMETER_LENGTH = 50;

/** Reads what was typed; throws PageQueryError. */
export function readPageQuery(typed: TypedQuery, now: number): PageQuery {
  for (const name of PARAMETERS) {
    if ((typed[name]?.length ?? 0) <= MAX_PARAMETER_LENGTH) continue;
    throw new PageQueryError(
      422,
      name,
      `${name} may have at most ${MAX_PARAMETER_LENGTH} characters`,
    );
  }
  const audience = parseChoice(AUDIENCE_TITLES, 'audience', typed.audience ?? 'all');
  const range = parseChoice(RANGES, 'range', typed.range ?? 'all');
  const timezone = readPageZone(typed.timezone);
  const common = { audience, timezone, from: typed.from, to: typed.to };
  if (typed.from === null && typed.to === null) {
    return { ...common, range, start: rangeStart(range, timezone, now), end: now, isOpen: true };
  }
  return { ...common, range: null, ...readDates(typed, timezone, now) };
}

function parseChoice<Choices extends object>(
  choices: Choices,
  name: Parameter,
  value: string,
): keyof Choices {
  if (Object.hasOwn(choices, value)) return value as keyof Choices;
  throw new PageQueryError(422, name, `${name} must be one of ${Object.keys(choices).join(', ')}`);
}

function readPageZone(name: string | null): string {
  const zone = timeZoneName(name ?? 'UTC');
  if (zone !== null) return zone;
  throw new PageQueryError(
    400,
    'timezone',
    'There is no such time zone: write it as Europe/Berlin',
  );
}

/** Whole days of the zone, of which today is the last. */
function rangeStart(range: Range, timezone: string, now: number): number | null {
  const { days } = RANGES[range];
  if (days === null) return null;
  const today = localDay(now, timezone);
  return startOfDay(rolled({ ...today, day: today.day - days + 1 }), timezone);
}

/** Both days are included; without the first one everything before the last is. */
function readDates({ from, to }: TypedQuery, timezone: string, now: number) {
  const start = from === null ? null : Math.max(0, readDay('from', from, timezone, 0));
  const end = to === null ? now : readDay('to', to, timezone, 1) - 1;
  if (start !== null && start > now) {
    throw new PageQueryError(400, 'from', 'The first day has not begun yet');
  }
  if (start !== null && start > end) {
    throw new PageQueryError(400, 'from', 'The first day is later than the last');
  }
  return { start, end: Math.min(end, now), isOpen: end >= now };
}

/** When a day of the zone begins, or with `later` 1 the day after it. */
function readDay(field: 'from' | 'to', text: string, timezone: string, later: 0 | 1): number {
  const [, year = 0, month = 0, day = 0] = /^(\d{4})-(\d\d)-(\d\d)$/.exec(text)?.map(Number) ?? [];
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  const isReal = month > 0 && date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
  if (isReal) return startOfDay(rolled({ year, month, day: day + later }), timezone);
  throw new PageQueryError(400, field, `${text} is no day: write it as 2026-11-21`);
}

/** Columns that can still be told apart on a telephone. */
const MAX_CHART_COLUMNS = 92;

/** Steps of time that fit a drawing. */
export function bucketsFor(start: number, end: number): PageStatisticsQuery['buckets'] {
  const days = (end - start) / DAY_MS;
  // The day on which clocks are put back has 25 hours.
  if (days < 1.1) return 'hourly';
  if (days <= MAX_CHART_COLUMNS) return 'daily';
  return days <= MAX_CHART_COLUMNS * 7 ? 'weekly' : 'monthly';
}

/** The address of the page, or of something below it, for these parameters. */
export function statisticsPath(
  alias: string,
  { range, audience, timezone, from, to }: PageQuery,
  changes: { range?: Range; audience?: Audience; format?: string } = {},
): string {
  const parameters = new URLSearchParams();
  const shown = changes.range ?? range;
  if (shown !== null && shown !== 'all') parameters.set('range', shown);
  if (shown === null && from !== null) parameters.set('from', from);
  if (shown === null && to !== null) parameters.set('to', to);
  if (timezone !== 'UTC') parameters.set('timezone', timezone);
  const whose = changes.audience ?? audience;
  if (whose !== 'all') parameters.set('audience', whose);
  if (changes.format !== undefined) parameters.set('format', changes.format);
  const path = `/stats/${encodeURIComponent(alias)}${changes.format === undefined ? '' : '/download'}`;
  return parameters.size === 0 ? path : `${path}?${parameters.toString()}`;
}
