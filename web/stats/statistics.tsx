import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import { type ChartSeries, withPartials } from '../../src/pages/chart-drawing';
import { fileOf } from '../api/client';
import { save } from '../data/files';
import { useKept, useQuery } from '../data/query';
import { sayFailure } from '../data/toasts';
import { count, dateTime, plainDay } from '../format';
import { Chart, type ChartPoint } from '../parts/chart';
import { Empty } from '../parts/empty';
import { ExportMenu } from '../parts/export-menu';
import { isFinal, Problem } from '../parts/problem';
import { Skeleton } from '../parts/skeleton';
import { go, goWith, usePlace } from '../router';
import { texts } from '../texts';
import { Breakdowns, rowsFor } from './breakdowns';
import { Controls } from './controls';
import { FilterChips } from './filter-chips';
import { dayIn, shiftDay, type Span, spanBefore } from './span';
import type { StatsRow } from './compare-rows';
import {
  type Audience,
  CLASSES,
  type Interval,
  intervalOf,
  intervalsFor,
  presentSpan,
  readStatsQuery,
  type StatsQuery,
  withoutFilters,
} from './stats-query';
import { importedOf, rowsOf, type Statistics as Answer, type Subject } from './subject';
import { Totals } from './totals';

const LIVE_MS = 30_000;

/**
 * Shows clicks over time and by dimension for a range, zone and filters.
 * @param whenEmpty shown instead before the first click
 */
export function Statistics({
  subject,
  whenEmpty,
}: {
  subject: Subject;
  whenEmpty?: ComponentChildren;
}) {
  const { path, search } = usePlace();
  const query = readStatsQuery(search);
  const key = (what: string, of: object = query): string =>
    `${subject.key}:${what}:${JSON.stringify(of)}`;
  const isLive = query.range !== 'custom' || query.to === '';
  const live = isLive && search.get('live') !== 'off' ? { everyMs: LIVE_MS } : {};
  const span = presentSpan(query);
  const canCompare = span.days !== null;
  const interval = intervalOf(query, span);
  const askOverTime = (of: StatsQuery, over: Span, cut: Interval | null): Promise<Answer> =>
    subject.ask(of, over, ['time'], { interval: cut });

  // Totals and time series are small. All other lists are reloaded only when totals change.
  const overTime = useQuery(
    key('time', { ...query, compares: false }),
    () => askOverTime(query, presentSpan(query), interval),
    live,
  );
  const listed = { ...query, interval: null, compares: false };
  const lists = useQuery(key('lists', listed), () =>
    subject.ask(query, presentSpan(query), subject.dimensions, { limit: rowsFor(subject) }),
  );
  const allAudiences = { ...listed, audience: 'all' } as const;
  const classes = useQuery(key('classes', allAudiences), () =>
    subject.ask(allAudiences, presentSpan(query), ['audience']),
  );
  const [totals, known] = [overTime.value?.summary, lists.value?.summary];
  useEffect(() => {
    if (totals === undefined || known === undefined) return;
    const isAsKnown =
      totals.total_clicks === known.total_clicks && totals.unique_clicks === known.unique_clicks;
    if (isAsKnown) return;
    lists.reload();
    classes.reload();
  }, [overTime.value]);
  const before = useQuery(query.compares && canCompare ? key('before') : null, () => {
    const earlier = spanBefore(presentSpan(query), query.zone, new Date());
    if (earlier === null) throw new Error('All time has no previous period');
    return askOverTime(query, earlier, interval);
  });
  const shown = useKept(overTime.value);
  const shownLists = useKept(lists.value);
  if (whenEmpty !== undefined) return <>{whenEmpty}</>;
  const failure = overTime.failure ?? lists.failure;
  // While loading, the previous figures are shown and must not be compared with the new period.
  const compared = overTime.value === undefined ? undefined : before.value;
  const when = texts.stats.timeBefore(query.range, span.days ?? 0, span.end === null);
  return (
    <div
      class="statistics"
      aria-busy={overTime.value === undefined || (lists.value === undefined && failure === null)}
    >
      <Controls query={query} subject={subject} isLive={isLive} canCompare={canCompare}>
        <Export subject={subject} query={query} interval={interval} />
      </Controls>
      {shown !== undefined && <Occasion answer={shown} query={query} />}
      <FilterChips query={query} link={subject.link} />
      <Problem
        failure={failure}
        retry={() => {
          overTime.reload();
          lists.reload();
        }}
      />
      {query.compares && <Problem failure={before.failure} retry={before.reload} />}
      {shown === undefined && !isFinal(failure) && (
        <>
          <Skeleton kind="totals" rows={5} />
          <Skeleton kind="chart" />
          <Skeleton rows={6} />
        </>
      )}
      {shown !== undefined && (
        <>
          <Totals now={shown} before={compared} when={when} />
          {classes.value !== undefined && (
            <Classes audience={query.audience} rows={rowsOf(classes.value, 'audience')} />
          )}
          {shown.summary.total_clicks === 0 ? (
            <NothingHere query={query} subject={subject} imported={importedOf(shown)} />
          ) : (
            <>
              <OverTime answer={shown} before={compared} query={query} span={span} />
              {shownLists === undefined ? (
                !isFinal(failure) && <Skeleton rows={6} />
              ) : (
                <Breakdowns
                  answer={shownLists}
                  subject={subject}
                  query={query}
                  choose={(next) => go(path, next)}
                />
              )}
            </>
          )}
        </>
      )}
    </div>
  );
}

interface ClassesProps {
  readonly audience: Audience;
  readonly rows: readonly StatsRow[];
}

/** Shows the clicks that the audience excludes, and a button to include them. */
function Classes({ audience, rows }: ClassesProps) {
  const named = CLASSES.filter((each) => each !== (audience === 'all' ? 'human' : audience));
  const found = named
    .map((name) => ({ name, clicks: rows.find(({ label }) => label === name)?.clicks ?? 0 }))
    .filter(({ clicks }) => clicks > 0);
  if (found.length === 0) return null;
  const t = texts.stats;
  const counts = found.map(({ name, clicks }) => t.clicksOfClass(name, count(clicks)));
  if (audience === 'all') return <p class="hint by-bots">{t.among(counts)}</p>;
  return (
    <p class="hint by-bots">
      {t.leftOut(counts)}{' '}
      <button type="button" class="plain small" onClick={() => goWith({ audience: 'all' })}>
        {t.showLeftOut}
      </button>
    </p>
  );
}

interface OverTimeProps {
  readonly answer: Answer;
  readonly before: Answer | undefined;
  readonly query: StatsQuery;
  readonly span: Span;
}

function OverTime({ answer, before, query, span }: OverTimeProps) {
  const strategy = answer.time_bucket_info?.strategy ?? 'daily';
  const rows = rowsOf(answer, 'time');
  // A previous period without clicks is not shown in the chart.
  const hasBefore = before !== undefined && before.summary.total_clicks > 0;
  const earlier = hasBefore ? rowsOf(before, 'time') : [];
  const points = withPartials(
    strategy,
    rows.map((row, i) => ({ ...row, ...beforeOf(earlier[i]) })),
    {
      from: span.start === null ? null : dayIn(span.start, query.zone),
      isOpen: span.end === null,
    },
  );
  const zoom = (row: ChartPoint): void => {
    const [from, to] = daysOf(strategy, row.label);
    goWith({ range: 'custom', from, to, interval: null });
  };
  return (
    <section class="card">
      <header class="card-head">
        <h2>{texts.stats.perStep(texts.stats.units[strategy])}</h2>
        <Intervals query={query} span={span} />
      </header>
      <Chart
        buckets={strategy}
        rows={points}
        {...(query.range === 'today' ? { when: texts.stats.yesterday } : {})}
        {...(strategy === 'hourly' || span.days === 1 ? {} : { zoom })}
      />
      <p class="hint zone-note">{texts.stats.inZone(query.zone)}</p>
    </section>
  );
}

function daysOf(strategy: ChartSeries['buckets'], label: string): [string, string] {
  if (strategy === 'weekly') return [label, shiftDay(label, 6)];
  if (strategy !== 'monthly') return [label, label];
  const [year = 0, month = 1] = label.split('-').map(Number);
  const next = new Date(Date.UTC(year, month)).toISOString().slice(0, 10);
  return [`${label}-01`, shiftDay(next, -1)];
}

/** Shows the bucket sizes that the range allows. */
export function Intervals({ query, span }: { query: StatsQuery; span: Span }) {
  const t = texts.stats;
  const offered = intervalsFor(span);
  if (offered.length < 2) return null;
  return (
    <select
      class="small"
      aria-label={t.interval}
      onChange={({ currentTarget: { value } }) =>
        goWith({ interval: value === 'auto' ? null : value })
      }
    >
      {(['auto', ...offered] as const).map((each) => (
        <option key={each} value={each} selected={each === (query.interval ?? 'auto')}>
          {t.intervals[each]}
        </option>
      ))}
    </select>
  );
}

function beforeOf(row: { clicks: number } | undefined): { before?: number } {
  return row === undefined ? {} : { before: row.clicks };
}

/** Describes the figures on paper, where controls are hidden. */
function Occasion({ answer, query }: { answer: Answer; query: StatsQuery }) {
  const t = texts.stats;
  const { start_date: start, end_date: end } = answer.time_range;
  const day = (at: number): string => plainDay(dayIn(new Date(at), query.zone));
  return (
    <p class="print-only">
      <strong>{t.days(day(Date.parse(start)), day(Date.parse(end) - 1))}</strong> ·{' '}
      {t.daysIn(query.zone)} · {t.clicksBy[query.audience]} ·{' '}
      {t.asOf(dateTime(new Date(answer.generated_at)))}
    </p>
  );
}

interface NothingProps {
  readonly query: StatsQuery;
  readonly subject: Subject;
  readonly imported: number;
}

function NothingHere({ query, subject, imported }: NothingProps) {
  const { path, search } = usePlace();
  const isFiltered = Object.keys(query.filters).length > 0 || isOtherThanPeople(query.audience);
  const ever = { ...query, range: 'all', interval: null, compares: false } as const;
  const asksEver = !isFiltered && query.range !== 'all';
  const all = useQuery(asksEver ? `${subject.key}:ever:${JSON.stringify(ever)}` : null, () =>
    subject.ask(ever, presentSpan(ever), ['audience']),
  );
  return (
    <Empty icon="analytics" title={texts.stats.none}>
      {imported > 0 && <p>{texts.stats.importedHaveNoDays(count(imported))}</p>}
      {isFiltered ? (
        <button
          type="button"
          class="quiet"
          onClick={() => {
            const next = withoutFilters(search);
            next.delete('audience');
            go(path, next);
          }}
        >
          {texts.stats.clearFilters}
        </button>
      ) : (
        (all.value?.summary.total_clicks ?? 0) > 0 && (
          <button
            type="button"
            class="quiet"
            onClick={() => goWith({ range: 'all', from: null, to: null })}
          >
            {texts.stats.showAll}
          </button>
        )
      )}
    </Empty>
  );
}

function isOtherThanPeople(audience: Audience): boolean {
  return audience === 'preview' || audience === 'bot';
}

interface ExportProps {
  readonly subject: Subject;
  readonly query: StatsQuery;
  readonly interval: Interval | null;
}

function Export({ subject, query, interval }: ExportProps) {
  const groupBy = ['time', ...subject.dimensions];
  const download = (format: string): void => {
    fileOf(subject.file(query, presentSpan(query), groupBy, format, { interval }))
      .then(save)
      .catch(sayFailure);
  };
  return <ExportMenu formats={['csv', 'xlsx', 'json', 'xml']} download={download} />;
}
