import { h } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import {
  bucketNames,
  chartDrawing,
  type ChartSeries,
  type Shape,
  STEP_NAMES,
} from '../../src/pages/chart-drawing';
import { count } from '../format';
import { texts } from '../texts';

export interface ChartPoint {
  readonly label: string;
  readonly clicks: number;
  readonly visitors?: number;
  readonly before?: number;
  /** Clicks in a comparison's second series. */
  readonly other?: number;
  readonly otherVisitors?: number;
  /** Explains why the bucket is incomplete. */
  readonly partial?: string;
}

interface ChartProps {
  readonly buckets: ChartSeries['buckets'];
  readonly rows: readonly ChartPoint[];
  /** The previous period's name. */
  readonly when?: string;
  readonly names?: readonly [string, string];
  /** Called to zoom into a bucket. */
  readonly zoom?: (row: ChartPoint) => void;
}

/** A no-break space, so that a key and its text stay on one line. */
const NEXT_TO_KEY = '\u00a0';

export function Chart({ buckets, rows, when = texts.stats.before, names: pair, zoom }: ChartProps) {
  const names = useMemo(() => bucketNames(buckets, rows), [buckets, rows]);
  const step = STEP_NAMES[buckets];
  const hasBefore = rows.some(({ before }) => before !== undefined);
  const hasVisitors = rows.some(({ visitors }) => visitors !== undefined);
  const hasPartial = rows.some(
    ({ partial, clicks, other = 0 }) => partial !== undefined && clicks + other > 0,
  );
  const t = texts.stats;
  return (
    <figure class="figure">
      <Plot buckets={buckets} rows={rows} columns={names} names={pair} when={when} zoom={zoom} />
      {pair !== undefined && (
        <p class="legend">
          <span class="key now" />
          {NEXT_TO_KEY}
          <bdi>{pair[0]}</bdi> <span class="key other" />
          {NEXT_TO_KEY}
          <bdi>{pair[1]}</bdi>
        </p>
      )}
      {(hasBefore || hasPartial) && (
        <p class="legend">
          {hasBefore && (
            <>
              <span class="key now" />
              {NEXT_TO_KEY + t.now} <span class="key before" />
              {NEXT_TO_KEY + when}{' '}
            </>
          )}
          {hasPartial && (
            <>
              <span class="key partial" />
              {NEXT_TO_KEY + t.notWhole}
            </>
          )}
        </p>
      )}
      <details open={pair !== undefined}>
        <summary>{t.asTable}</summary>
        <div class="scroll" tabIndex={0} role="region" aria-label={t.perStep(step)}>
          <table class="numbers">
            <thead>
              {pair !== undefined && (
                <tr>
                  <td />
                  {pair.map((name) => (
                    <th key={name} scope="colgroup" colSpan={2} dir="auto">
                      {name}
                    </th>
                  ))}
                </tr>
              )}
              <tr>
                <th scope="col">{t.steps[step]}</th>
                <th scope="col">{t.clicks}</th>
                {hasVisitors && <th scope="col">{t.visitors}</th>}
                {pair !== undefined && <th scope="col">{t.clicks}</th>}
                {pair !== undefined && <th scope="col">{t.visitors}</th>}
                {hasBefore && <th scope="col">{when}</th>}
              </tr>
            </thead>
            <tbody>
              {rows
                .map(({ label, clicks, visitors, before, other, otherVisitors, partial }, i) => (
                  <tr key={label}>
                    <th scope="row">{nameOf(names[i] ?? '', partial)}</th>
                    <td>{count(clicks)}</td>
                    {hasVisitors && <td>{count(visitors ?? 0)}</td>}
                    {pair !== undefined && <td>{count(other ?? 0)}</td>}
                    {pair !== undefined && <td>{count(otherVisitors ?? 0)}</td>}
                    {hasBefore && <td>{before === undefined ? '–' : count(before)}</td>}
                  </tr>
                ))
                .toReversed()}
            </tbody>
          </table>
        </div>
      </details>
    </figure>
  );
}

function nameOf(name: string, partial: string | undefined): string {
  return partial === undefined ? name : texts.stats.partial(name, partial);
}

interface PlotProps extends ChartProps {
  readonly columns: readonly string[];
  readonly when: string;
}

/** Draws the columns, and shows the figures for the column under the pointer, finger or focus. */
function Plot({ buckets, rows, columns, names, when, zoom }: PlotProps) {
  const { about, scale, plot, slots, first } = useMemo(
    () => chartDrawing({ buckets, rows }),
    [buckets, rows],
  );
  const area = useRef<HTMLDivElement>(null);
  const [at, setAt] = useState<number | null>(null);
  const shown = at === null ? undefined : rows[at];
  useEffect(() => {
    const leave = ({ target }: Event): void => {
      if (!(target instanceof Node) || area.current?.contains(target) !== true) setAt(null);
    };
    document.addEventListener('pointerdown', leave);
    return () => document.removeEventListener('pointerdown', leave);
  }, []);
  /** Returns the column at an x coordinate; null outside the chart. */
  const columnAt = (clientX: number): number | null => {
    const { left = 0, width = 1 } = area.current?.getBoundingClientRect() ?? {};
    const column = Math.floor(((clientX - left) / width) * slots) - first;
    return column >= 0 && column < rows.length ? column : null;
  };
  const goTo = (event: KeyboardEvent): void => {
    const last = rows.length - 1;
    const places: Readonly<Record<string, number | null>> = {
      ArrowLeft: Math.max(0, (at ?? last + 1) - 1),
      ArrowRight: Math.min(last, (at ?? last - 1) + 1),
      Home: 0,
      End: last,
      Escape: null,
    };
    if (event.key === 'Enter' && shown !== undefined) zoom?.(shown);
    const next = places[event.key];
    if (next === undefined || (next === null && at === null)) return;
    event.preventDefault();
    event.stopPropagation();
    setAt(next);
  };
  return (
    <div class="chart">
      <svg class="scale" aria-hidden="true">
        {scale.map(elementOf)}
      </svg>
      <div
        ref={area}
        class={zoom === undefined ? 'plot-area' : 'plot-area zooms'}
        tabIndex={0}
        role="group"
        aria-label={texts.stats.chart}
        onKeyDown={goTo}
        onBlur={() => setAt(null)}
        onPointerDown={({ clientX }) => setAt(columnAt(clientX))}
        onPointerMove={({ clientX }) => setAt(columnAt(clientX))}
        onPointerLeave={({ pointerType }) => pointerType === 'mouse' && setAt(null)}
        onClick={(event) => {
          // The first touch shows the figures, because touch screens have no hover.
          const isMouse = (event as unknown as PointerEvent).pointerType === 'mouse';
          const column = columnAt(event.clientX);
          const row = column === null ? undefined : rows[column];
          if (isMouse && row !== undefined) zoom?.(row);
        }}
      >
        <svg class="plot" role="img" aria-label={about}>
          {plot.filter(({ attributes }) => attributes['class'] !== 'hit').map(elementOf)}
          {at !== null && (
            <rect
              class="hit shown"
              x={`${((first + at) / slots) * 100}%`}
              width={`${100 / slots}%`}
              height="88%"
            />
          )}
        </svg>
        <div class="tip-place" role="status" aria-live="polite">
          {shown !== undefined && at !== null && (
            <div
              class={(first + at + 0.5) / slots > 0.5 ? 'tip before-column' : 'tip'}
              // Preact sets the style by script, because the policy forbids style attributes.
              style={{ insetInlineStart: `${((first + at + 0.5) / slots) * 100}%` }}
            >
              <strong>{nameOf(columns[at] ?? '', shown.partial)}</strong>
              {names !== undefined && <bdi>{names[0]}</bdi>}
              <span>{texts.stats.clicksOf(shown.clicks, count(shown.clicks))}</span>
              {shown.visitors !== undefined && (
                <span>{texts.stats.visitorsOf(shown.visitors, count(shown.visitors))}</span>
              )}
              {names !== undefined && (
                <>
                  <bdi>{names[1]}</bdi>
                  <span>{texts.stats.clicksOf(shown.other ?? 0, count(shown.other ?? 0))}</span>
                  <span>
                    {texts.stats.visitorsOf(
                      shown.otherVisitors ?? 0,
                      count(shown.otherVisitors ?? 0),
                    )}
                  </span>
                </>
              )}
              {shown.before !== undefined && (
                <span>{texts.stats.beforeOf(when, count(shown.before))}</span>
              )}
              {zoom !== undefined && <span class="hint">{texts.stats.zoom}</span>}
            </div>
          )}
        </div>
      </div>
    </div>
  );
}

/** Omits title elements, because the chart has its own tooltip. */
function elementOf({ element, attributes, text }: Shape, index: number) {
  return h(element, { key: index, ...attributes }, element === 'rect' ? null : text);
}
