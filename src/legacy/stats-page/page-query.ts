import type { Audience } from '../../engines/click-engine/query/statistics-query';
import { localDay, rolled, startOfDay } from '../../engines/click-engine/calendar/time-buckets';
import { timeZoneName } from '../../engines/click-engine/calendar/time-zone';
import type { LinkStatisticsQuery } from '../../analytics/link-statistics.service';
import { DAY_MS } from '../../common/time';
import { html, type Html } from '../../common/http/page';
import { PageQueryError } from '../request/legacy.errors';

/** Ranges in days, including today. */
export const RANGES = {
  today: { label: 'Today', days: 1 },
  '7d': { label: '7 days', days: 7 },
  '30d': { label: '30 days', days: 30 },
  '90d': { label: '90 days', days: 90 },
  all: { label: 'All time', days: null },
} as const;
type Range = keyof typeof RANGES;

export const AUDIENCE_TITLES = {
  all: 'All',
  human: 'People',
  preview: 'Previews',
  bot: 'Bots',
} as const satisfies Record<Audience, string>;

/** The app has the same default. */
const DEFAULT_AUDIENCE: Audience = 'human';

const PARAMETERS = ['range', 'from', 'to', 'timezone', 'audience'] as const;
export type Parameter = (typeof PARAMETERS)[number];

export type TypedQuery = Readonly<Record<Parameter, string | null>>;

export interface PageQuery {
  /** Null if the query has dates. */
  readonly range: Range | null;
  readonly audience: Audience;
  readonly timezone: string;
  /** Start time in milliseconds; null means the creation of the link. */
  readonly start: number | null;
  readonly end: number;
  readonly isOpen: boolean;
  readonly from: string | null;
  readonly to: string | null;
}

export function typedQuery(input: (field: string) => string | null): TypedQuery {
  return Object.fromEntries(PARAMETERS.map((name) => [name, input(name)])) as TypedQuery;
}

const MAX_PARAMETER_LENGTH = 50;

/** @throws PageQueryError */
export function readPageQuery(typed: TypedQuery, now: number): PageQuery {
  for (const name of PARAMETERS) {
    if ((typed[name]?.length ?? 0) <= MAX_PARAMETER_LENGTH) continue;
    throw new PageQueryError(
      422,
      name,
      `${name} may have at most ${MAX_PARAMETER_LENGTH} characters`,
    );
  }
  const audience = parseChoice(AUDIENCE_TITLES, 'audience', typed.audience ?? DEFAULT_AUDIENCE);
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
  throw new PageQueryError(400, 'timezone', 'Unknown time zone: write it like Europe/Berlin');
}

/** Whole days in the time zone, ending today. */
function rangeStart(range: Range, timezone: string, now: number): number | null {
  const { days } = RANGES[range];
  if (days === null) return null;
  const today = localDay(now, timezone);
  return startOfDay(rolled({ ...today, day: today.day - days + 1 }), timezone);
}

/** Dates are inclusive. Without the first date, the range begins at the link's creation. */
function readDates({ from, to }: TypedQuery, timezone: string, now: number) {
  const start = from === null ? null : Math.max(0, readDay('from', from, timezone, 0));
  const end = to === null ? now : readDay('to', to, timezone, 1) - 1;
  if (start !== null && start > now) {
    throw new PageQueryError(400, 'from', 'The first day is in the future');
  }
  if (start !== null && start > end) {
    throw new PageQueryError(400, 'from', 'The first day is later than the last');
  }
  return { start, end: Math.min(end, now), isOpen: end >= now };
}

/** Returns the start of the day, or of the next day if `later` is 1, in the time zone. */
function readDay(field: 'from' | 'to', text: string, timezone: string, later: 0 | 1): number {
  const [, year = 0, month = 0, day = 0] = /^(\d{4})-(\d\d)-(\d\d)$/.exec(text)?.map(Number) ?? [];
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  const isReal = month > 0 && date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
  if (isReal) return startOfDay(rolled({ year, month, day: day + later }), timezone);
  throw new PageQueryError(400, field, `${text} is not a date: write it like 2026-11-21`);
}

/** Maximum number of columns that are distinguishable on a phone. */
const MAX_CHART_COLUMNS = 92;

export function bucketsFor(start: number, end: number): LinkStatisticsQuery['buckets'] {
  const days = (end - start) / DAY_MS;
  // A day has 25 hours when clocks are set back.
  if (days < 1.1) return 'hourly';
  if (days <= MAX_CHART_COLUMNS) return 'daily';
  return days <= MAX_CHART_COLUMNS * 7 ? 'weekly' : 'monthly';
}

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
  if (whose !== DEFAULT_AUDIENCE) parameters.set('audience', whose);
  if (changes.format !== undefined) parameters.set('format', changes.format);
  const path = `/stats/${encodeURIComponent(alias)}${changes.format === undefined ? '' : '/download'}`;
  return parameters.size === 0 ? path : `${path}?${parameters.toString()}`;
}

export function rangePicker(alias: string, query: PageQuery): Html {
  const ranges = Object.keys(RANGES) as Range[];
  const audiences = Object.keys(AUDIENCE_TITLES) as Audience[];
  return html`<div class="picker">
      <nav aria-label="Time range" class="choices">
        ${ranges.map((range) =>
          choice(
            RANGES[range].label,
            statisticsPath(alias, query, { range }),
            query.range === range,
          ),
        )}
      </nav>
      <nav aria-label="Audience" class="choices">
        ${audiences.map((audience) =>
          choice(
            AUDIENCE_TITLES[audience],
            statisticsPath(alias, query, { audience }),
            query.audience === audience,
          ),
        )}
      </nav>
    </div>
    <details class="dates" ${query.range === null && html`open`}>
      <summary>Other dates</summary>
      ${datesForm(`/stats/${encodeURIComponent(alias)}`, query)}
    </details>`;
}

function choice(label: string, path: string, isChosen: boolean): Html {
  return html`<a href="${path}" rel="nofollow" ${isChosen && html`aria-current="true"`}
    >${label}</a
  >`;
}

export interface QueryProblem {
  readonly field: string;
  readonly message: string;
}

export function datesForm(
  path: string,
  typed: Pick<TypedQuery, 'from' | 'to' | 'timezone' | 'audience'>,
  problem: QueryProblem | null = null,
): Html {
  return html`<form method="get" action="${path}" class="dates">
    <p>
      <label for="from">From</label>
      <input id="from" name="from" type="date" value="${typed.from}" ${fault('from', problem)} />
    </p>
    <p>
      <label for="to">To (included)</label>
      <input id="to" name="to" type="date" value="${typed.to}" ${fault('to', problem)} />
    </p>
    <p>
      <label for="timezone">Time zone</label>
      <input
        id="timezone"
        name="timezone"
        type="text"
        maxlength="50"
        autocapitalize="none"
        autocomplete="off"
        spellcheck="false"
        placeholder="UTC"
        title="A name such as Europe/Berlin"
        value="${typed.timezone}"
        ${fault('timezone', problem)}
      />
    </p>
    ${
      typed.audience !== null &&
      typed.audience !== DEFAULT_AUDIENCE &&
      html`<input type="hidden" name="audience" value="${typed.audience}" />`
    }
    <p><button type="submit" class="quiet">Show</button></p>
  </form>`;
}

function fault(field: string, problem: QueryProblem | null): Html | false {
  return problem?.field === field && html`aria-invalid="true" aria-describedby="problem" autofocus`;
}
