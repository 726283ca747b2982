import { h } from 'preact';
import { useMemo } from 'preact/hooks';
import {
  chartDrawing,
  type ChartSeries,
  type Shape,
  STEPS,
} from '../../src/pages/statistics/chart-drawing';
import { count } from '../format';
import { texts } from '../texts';

interface ChartProps {
  readonly buckets: ChartSeries['buckets'];
  readonly rows: readonly {
    readonly label: string;
    readonly clicks: number;
    readonly visitors?: number;
    readonly before?: number;
  }[];
}

/** Clicks over time, drawn by the same function as on the server's pages, with its table. */
export function Chart({ buckets, rows }: ChartProps) {
  const { about, scale, plot } = useMemo(() => chartDrawing({ buckets, rows }), [buckets, rows]);
  const step = STEPS[buckets];
  const hasBefore = rows.some(({ before }) => before !== undefined);
  const hasVisitors = rows.some(({ visitors }) => visitors !== undefined);
  return (
    <figure class="figure">
      <div class="chart">
        <svg class="scale" aria-hidden="true">
          {scale.map(elementOf)}
        </svg>
        <svg class="plot" role="img" aria-label={about}>
          {plot.map(elementOf)}
        </svg>
      </div>
      {hasBefore && (
        <p class="legend">
          <span class="key now" /> {texts.stats.now} <span class="key before" />{' '}
          {texts.stats.before}
        </p>
      )}
      <details>
        <summary>{texts.stats.asTable}</summary>
        <div class="scroll" tabIndex={0} role="region" aria-label={texts.stats.perStep(step)}>
          <table class="numbers">
            <thead>
              <tr>
                <th scope="col">{texts.stats.steps[step]}</th>
                <th scope="col">{texts.stats.clicks}</th>
                {hasVisitors && <th scope="col">{texts.stats.visitors}</th>}
                {hasBefore && <th scope="col">{texts.stats.before}</th>}
              </tr>
            </thead>
            <tbody>
              {rows.toReversed().map(({ label, clicks, visitors, before }) => (
                <tr key={label}>
                  <th scope="row">{label}</th>
                  <td>{count(clicks)}</td>
                  {hasVisitors && <td>{count(visitors ?? 0)}</td>}
                  {hasBefore && <td>{before === undefined ? '–' : count(before)}</td>}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </details>
    </figure>
  );
}

function elementOf({ element, attributes, text }: Shape, index: number) {
  const content = element === 'rect' ? h('title', null, text) : text;
  return h(element, { key: index, ...attributes }, content);
}
