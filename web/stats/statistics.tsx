import type { ComponentChildren } from 'preact';
import { fileOf } from '../api/client';
import { failureOf } from '../api/failure';
import { save } from '../data/files';
import { useKept, useQuery } from '../data/query';
import { say } from '../data/toasts';
import { Chart } from '../parts/chart';
import { Empty } from '../parts/empty';
import { ExportMenu } from '../parts/export-menu';
import { Problem } from '../parts/problem';
import { Skeleton } from '../parts/skeleton';
import { go, goWith, usePlace } from '../router';
import { texts } from '../texts';
import { Breakdowns } from './breakdowns';
import { Controls } from './controls';
import { FilterChips } from './filter-chips';
import { spanBefore } from './span';
import { presentSpan, readStatsQuery, type StatsQuery, withoutFilters } from './stats-query';
import { rowsOf, type Statistics as Answer, type Subject } from './subject';
import { Totals } from './totals';

const LIVE_MS = 30_000;

/**
 * Clicks over time and by every dimension, over a range, in a zone, filtered by a click on a row.
 *
 * @param whenEmpty instead of everything while there was never a click
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
  const groupBy = ['time', ...subject.dimensions];
  const key = (what: string): string => `${subject.key}:${what}:${JSON.stringify(query)}`;
  const isLive = query.range !== 'custom' || query.to === '';
  const live = isLive && search.get('live') !== 'off' ? { everyMs: LIVE_MS } : {};
  const present = useQuery(key('now'), () => subject.ask(query, presentSpan(query), groupBy), live);
  const canCompare = presentSpan(query).days !== null;
  const before = useQuery(query.compares && canCompare ? key('before') : null, () => {
    const span = spanBefore(presentSpan(query), query.zone, new Date());
    if (span === null) throw new Error('There is nothing before everything');
    return subject.ask(query, span, ['time']);
  });
  const shown = useKept(present.value);
  if (whenEmpty !== undefined) return <>{whenEmpty}</>;
  return (
    <div class="statistics" aria-busy={present.value === undefined}>
      <Controls query={query} subject={subject} isLive={isLive} canCompare={canCompare}>
        <Export subject={subject} query={query} groupBy={groupBy} />
      </Controls>
      <FilterChips query={query} />
      <Problem failure={present.failure} retry={present.reload} />
      {query.compares && <Problem failure={before.failure} retry={before.reload} />}
      {shown === undefined && present.failure === null && (
        <>
          <Skeleton kind="chart" />
          <Skeleton rows={6} />
        </>
      )}
      {shown !== undefined && (
        <>
          <Totals now={shown} before={query.compares ? before.value : undefined} />
          <OverTime
            answer={shown}
            before={query.compares ? before.value : undefined}
            query={query}
          />
          {shown.summary.total_clicks === 0 ? (
            <NothingHere query={query} />
          ) : (
            <Breakdowns
              answer={shown}
              subject={subject}
              query={query}
              choose={(next) => go(path, next)}
            />
          )}
        </>
      )}
    </div>
  );
}

function OverTime({
  answer,
  before,
  query,
}: {
  answer: Answer;
  before: Answer | undefined;
  query: StatsQuery;
}) {
  const strategy = answer.time_bucket_info?.strategy ?? 'daily';
  const rows = rowsOf(answer, 'time');
  // One column says no more than the totals do.
  if (rows.length < 2) return null;
  const earlier = before === undefined ? [] : rowsOf(before, 'time');
  const withBefore = rows.map((row, i) => ({ ...row, ...beforeOf(earlier[i]) }));
  return (
    <section class="card">
      <h2>{texts.stats.perStep(texts.stats.units[strategy])}</h2>
      <Chart buckets={strategy} rows={withBefore} />
      <p class="hint zone-note">{texts.stats.inZone(query.zone)}</p>
    </section>
  );
}

function beforeOf(row: { clicks: number } | undefined): { before?: number } {
  return row === undefined ? {} : { before: row.clicks };
}

function NothingHere({ query }: { query: StatsQuery }) {
  const { path, search } = usePlace();
  const isFiltered = Object.keys(query.filters).length > 0 || query.audience !== 'all';
  return (
    <Empty icon="analytics" title={texts.stats.none}>
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
        query.range !== 'all' && (
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

interface ExportProps {
  readonly subject: Subject;
  readonly query: StatsQuery;
  readonly groupBy: readonly string[];
}

/** What is shown, as a file. */
function Export({ subject, query, groupBy }: ExportProps) {
  const download = (format: string): void => {
    fileOf(subject.file(query, presentSpan(query), groupBy, format))
      .then(save)
      .catch((thrown: unknown) => say(failureOf(thrown).message, { isProblem: true }));
  };
  return <ExportMenu formats={['csv', 'xlsx', 'json', 'xml']} download={download} />;
}
