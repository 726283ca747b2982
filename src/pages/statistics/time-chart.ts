import { html, type Html } from '../../common/http/html';
import { countOf, groupDigits } from '../wording';
import type { Row, TimeSeries } from './statistics-view';

const STEPS = { hourly: 'hour', daily: 'day', weekly: 'week', monthly: 'month' } as const;

/** Fewer columns than this leave a part of the chart empty instead of becoming slabs. */
const FEWEST_COLUMNS = { hourly: 24, daily: 7, weekly: 7, monthly: 7 } as const;
/** More columns than this have no room for their numbers on a telephone. */
const MOST_NUMBERS = 8;
/** Labels below the columns; more would touch each other on a telephone. */
const MOST_LABELS = 5;
/** In percent of the height, from above: numbers, columns, labels. */
const [TOP, BOTTOM, LABELS] = [9, 88, 98];

/**
 * Clicks over time as columns, drawn by the server; the same figures stand in a table below.
 * Colours come from the stylesheet: the policy of our pages allows no inline style. Places are
 * percentages, so that text keeps its size however wide the drawing is.
 */
export function timeChart({ buckets, rows }: TimeSeries): Html {
  const step = STEPS[buckets];
  const most = rows.reduce((largest, { clicks }) => Math.max(largest, clicks), 0);
  const { top, ticks } = scale(most);
  const about = `Clicks per ${step} from ${rows[0]?.label ?? ''} to ${rows.at(-1)?.label ?? ''}, at most ${groupDigits(most)}`;
  return html`<section class="card wide">
    <h2>Clicks per ${step}</h2>
    <div class="chart">
      <svg class="scale" aria-hidden="true">
        ${ticks.map(
          (tick) =>
            html`<text x="100%" y="${height(tick, top)}%" dy="0.35em">${short(tick)}</text>`,
        )}
      </svg>
      <svg class="plot" role="img" aria-label="${about}">
        ${ticks.map((tick) => {
          const y = height(tick, top);
          return html`<line x1="0" x2="100%" y1="${y}%" y2="${y}%" />`;
        })}
        ${columns(buckets, rows, top)}
      </svg>
    </div>
    ${table(step, rows)}
  </section>`;
}

/** An axis from 0 in steps of 1, 2 or 5 times a power of ten, whole clicks at the least. */
export function scale(most: number): { top: number; ticks: number[] } {
  const rough = Math.max(most, 1) / 4;
  const power = 10 ** Math.floor(Math.log10(rough));
  const factor = [1, 2, 5, 10].find((each) => each * power >= rough) ?? 10;
  const step = Math.max(1, factor * power);
  const count = Math.ceil(Math.max(most, 1) / step);
  return { top: count * step, ticks: Array.from({ length: count + 1 }, (_, i) => i * step) };
}

function height(value: number, top: number): string {
  return (BOTTOM - (value / top) * (BOTTOM - TOP)).toFixed(2);
}

function columns(buckets: TimeSeries['buckets'], rows: readonly Row[], top: number): Html {
  const slots = Math.max(rows.length, FEWEST_COLUMNS[buckets]);
  // Hours that have not come yet are empty on the right; days before the first one on the left.
  const first = buckets === 'hourly' ? 0 : slots - rows.length;
  const middle = (i: number): string => (((first + i + 0.5) / slots) * 100).toFixed(2);
  const hasNumbers = slots <= MOST_NUMBERS;
  return html`${rows.map(({ label, clicks }, i) => {
    const [y, x] = [height(clicks, top), ((first + i + 0.1) / slots) * 100];
    return html`<rect
        x="${x.toFixed(2)}%"
        y="${y}%"
        width="${(80 / slots).toFixed(2)}%"
        height="${(BOTTOM - Number(y)).toFixed(2)}%"
      >
        <title>${label}: ${countOf(clicks, 'click')}</title>
      </rect>
      ${
        hasNumbers &&
        clicks > 0 &&
        html`<text class="value" x="${middle(i)}%" y="${y}%" dy="-0.35em">${short(clicks)}</text>`
      }`;
  })}
  ${labels(buckets, rows, slots).map(
    ([i, text]) => html`<text x="${middle(i)}%" y="${LABELS}%">${text}</text>`,
  )}`;
}

/** What stands below the columns, by their number: the last one in any case, or quarters of a day. */
function labels(
  buckets: TimeSeries['buckets'],
  rows: readonly Row[],
  slots: number,
): (readonly [number, string])[] {
  if (buckets === 'hourly') return hourLabels(rows[0]?.label ?? '', slots);
  const every = Math.ceil(slots / MOST_LABELS);
  return rows
    .map(({ label }, i) => [i, buckets === 'monthly' ? label : dayAndMonth(label)] as const)
    .filter(([i]) => (rows.length - 1 - i) % every === 0);
}

/** Every six hours from the first one on, also where there is no column yet. */
function hourLabels(first: string, slots: number): (readonly [number, string])[] {
  const [hour = 0, minute = 0] = first.slice(11).split(':').map(Number);
  const two = (value: number): string => String(value).padStart(2, '0');
  return [0, 6, 12, 18]
    .filter((i) => i < slots)
    .map((i) => [i, `${two((hour + i) % 24)}:${two(minute)}`] as const);
}

/** `1.2K` where the whole number has no room. */
function short(count: number): string {
  return count.toLocaleString('en', { notation: 'compact', maximumFractionDigits: 1 });
}

/** `21 Nov`. */
function dayAndMonth(day: string): string {
  const date = new Date(`${day}T00:00:00Z`);
  return date.toLocaleDateString('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' });
}

/** Newest first. */
function table(step: string, rows: readonly Row[]): Html {
  return html`<details>
    <summary>The same as a table</summary>
    <div class="scroll" tabindex="0" role="region" aria-label="Clicks per ${step}">
      <table>
        <thead>
          <tr>
            <th scope="col">${step.charAt(0).toUpperCase()}${step.slice(1)}</th>
            <th scope="col" class="number">Clicks</th>
            <th scope="col" class="number">Visitors</th>
          </tr>
        </thead>
        <tbody>
          ${rows.toReversed().map(
            ({ label, clicks, visitors }) =>
              html`<tr>
                <th scope="row">${label}</th>
                <td class="number">${groupDigits(clicks)}</td>
                <td class="number">${groupDigits(visitors)}</td>
              </tr>`,
          )}
        </tbody>
      </table>
    </div>
  </details>`;
}
