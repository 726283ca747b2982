import { count } from '../format';
import { Ago } from '../parts/time';
import { texts } from '../texts';
import type { Statistics } from './subject';

/** The figures above the chart; with a change where there is something to compare with. */
export function Totals({ now, before }: { now: Statistics; before: Statistics | undefined }) {
  const { summary, computed_metrics: computed } = now;
  const t = texts.stats;
  const last = summary.last_click;
  return (
    <dl class="totals">
      <div>
        <dt>{t.clicks}</dt>
        <dd>{count(summary.total_clicks)}</dd>
        <Change now={summary.total_clicks} before={before?.summary.total_clicks} />
      </div>
      <div>
        <dt>{t.visitors}</dt>
        <dd>{count(summary.unique_clicks)}</dd>
        <Change now={summary.unique_clicks} before={before?.summary.unique_clicks} />
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

/** More or less than before, in words and with an arrow, never by its colour alone. */
export function Change({ now, before }: { now: number; before: number | undefined }) {
  if (before === undefined) return null;
  const difference = now - before;
  const kind = difference > 0 ? 'rise' : difference < 0 ? 'fall' : 'same';
  return <dd class={`change ${kind}`}>{texts.stats.change(now, before)}</dd>;
}
