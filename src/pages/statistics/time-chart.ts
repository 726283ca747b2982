import { html, type Html } from '../../common/http/html';
import { groupDigits, type Row } from './statistics-view';

/** Columns that can still be told apart on a telephone. */
const MOST_COLUMNS = 92;
const WEEK = 7;

/** Clicks over time, in steps that fit a drawing. */
export interface TimeSeries {
  readonly step: 'day' | 'week' | 'month';
  /** Label = the first day of the step. */
  readonly columns: readonly Pick<Row, 'label' | 'clicks'>[];
}

/** Sums days to weeks (from Monday) or months when there are too many of them. */
export function timeSeries(days: readonly Row[]): TimeSeries {
  if (days.length <= MOST_COLUMNS) return { step: 'day', columns: days };
  if (days.length <= MOST_COLUMNS * WEEK) return { step: 'week', columns: grouped(days, monday) };
  return { step: 'month', columns: grouped(days, (day) => `${day.slice(0, 7)}-01`) };
}

function grouped(days: readonly Row[], start: (day: string) => string): TimeSeries['columns'] {
  const sums = new Map<string, number>();
  for (const { label, clicks } of days) {
    const key = start(label);
    sums.set(key, (sums.get(key) ?? 0) + clicks);
  }
  return Array.from(sums, ([label, clicks]) => ({ label, clicks }));
}

function monday(day: string): string {
  const date = new Date(`${day}T00:00:00Z`);
  date.setUTCDate(date.getUTCDate() - ((date.getUTCDay() + 6) % 7));
  return date.toISOString().slice(0, 10);
}

const WIDTH = 720;
const HEIGHT = 180;
/** Fewer columns than this leave the right of the chart empty instead of becoming slabs. */
const FEWEST_COLUMNS = 14;
const QUARTERS = [0, 0.25, 0.5, 0.75, 1];

/**
 * Clicks over time as columns, drawn by the server; the same figures stand in a table below.
 * Colours come from the stylesheet: the policy of our pages allows no inline style.
 */
export function timeChart(days: readonly Row[]): Html {
  const { step, columns } = timeSeries(days);
  const most = columns.reduce((largest, { clicks }) => Math.max(largest, clicks), 1);
  const slot = WIDTH / Math.max(columns.length, FEWEST_COLUMNS);
  const [first, last] = [columns[0]?.label, columns.at(-1)?.label];
  const about = `Clicks per ${step} from ${first ?? ''} to ${last ?? ''}, at most ${most}`;
  return html`<section class="card wide">
    <h2>Clicks per ${step}</h2>
    <p class="axis"><span>${groupDigits(most)}</span></p>
    <svg
      class="chart"
      viewBox="0 0 ${WIDTH} ${HEIGHT}"
      preserveAspectRatio="none"
      role="img"
      aria-label="${about}"
    >
      <g class="grid">${QUARTERS.map(gridLine)}</g>
      <g class="columns">
        ${columns.map(({ label, clicks }, i) => {
          const height = (clicks / most) * HEIGHT;
          return html`<rect
            x="${fixed(i * slot + slot * 0.1)}"
            y="${fixed(HEIGHT - height)}"
            width="${fixed(slot * 0.8)}"
            height="${fixed(height)}"
          >
            <title>${label}: ${clicks}</title>
          </rect>`;
        })}
      </g>
    </svg>
    <p class="axis"><span>${first}</span><span>${last === first ? null : last}</span></p>
    ${dayTable(days)}
  </section>`;
}

function gridLine(share: number): Html {
  const y = fixed(0.5 + share * (HEIGHT - 1));
  return html`<line x1="0" x2="${WIDTH}" y1="${y}" y2="${y}" />`;
}

/** Newest first. */
function dayTable(days: readonly Row[]): Html {
  return html`<details>
    <summary>All days as a table</summary>
    <div class="scroll" tabindex="0" role="region" aria-label="Clicks per day">
      <table>
        <thead>
          <tr>
            <th scope="col">Day</th>
            <th scope="col" class="number">Clicks</th>
            <th scope="col" class="number">Visitors</th>
          </tr>
        </thead>
        <tbody>
          ${days.toReversed().map(
            ({ label, clicks, visitors }) =>
              html`<tr>
                <td>${label}</td>
                <td class="number">${groupDigits(clicks)}</td>
                <td class="number">${groupDigits(visitors)}</td>
              </tr>`,
          )}
        </tbody>
      </table>
    </div>
  </details>`;
}

function fixed(value: number): string {
  return value.toFixed(2);
}
