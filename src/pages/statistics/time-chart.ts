import { html, type Html } from '../../http/html';
import { groupDigits } from './grouped';
import type { Row } from './statistics-view';
import { timeSeries } from './time-series';

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
