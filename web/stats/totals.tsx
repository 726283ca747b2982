import { count } from '../format';
import { Clicks } from '../parts/clicks';
import { Ago } from '../parts/time';
import { texts } from '../texts';
import { importedOf, type Statistics } from './subject';

const DAY_MS = 86_400_000;

interface TotalsProps {
  readonly now: Statistics;
  readonly before: Statistics | undefined;
  readonly when: string;
}

export function Totals({ now, before, when }: TotalsProps) {
  const { summary, computed_metrics: computed, time_range: range } = now;
  const t = texts.stats;
  const last = summary.last_click;
  // An incomplete day counts as a whole day.
  const days = Math.ceil((Date.parse(range.end_date) - Date.parse(range.start_date)) / DAY_MS);
  const perDay = summary.total_clicks / Math.max(1, days);
  return (
    <dl class="totals">
      <div>
        <dt>{t.clicks}</dt>
        <dd>
          <Clicks recorded={summary.total_clicks} imported={importedOf(now)} />
        </dd>
        <Change now={summary.total_clicks} before={before?.summary.total_clicks} when={when} />
      </div>
      <div>
        <dt>{t.visitors}</dt>
        <dd>{count(summary.unique_clicks)}</dd>
        <Change now={summary.unique_clicks} before={before?.summary.unique_clicks} when={when} />
      </div>
      <div>
        <dt>{t.perDay}</dt>
        <dd>{count(perDay >= 10 ? Math.round(perDay) : Math.round(perDay * 10) / 10)}</dd>
      </div>
      <div>
        <dt>{t.perVisitor}</dt>
        <dd>{computed === null ? '–' : count(computed.average_clicks_per_visitor)}</dd>
      </div>
      <div>
        <dt>{t.lastClick}</dt>
        <dd class="text">{last === null ? '–' : <Ago at={new Date(last)} />}</dd>
      </div>
    </dl>
  );
}

interface ChangeProps {
  readonly now: number;
  readonly before: number | undefined;
  readonly when: string;
}

/** Shows a change with words and an arrow, not only with colour. */
export function Change({ now, before, when }: ChangeProps) {
  if (before === undefined) return null;
  const difference = before === 0 ? 0 : now - before;
  const kind = difference > 0 ? 'rise' : difference < 0 ? 'fall' : 'same';
  return <dd class={`change ${kind}`}>{texts.stats.change(now, before, when)}</dd>;
}
