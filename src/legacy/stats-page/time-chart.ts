import { Html, html } from '../../common/http/html';
import { groupDigits } from '../../pages/wording';
import { bucketNames, chartDrawing, type Shape, STEP_NAMES } from '../../pages/chart-drawing';
import type { TimeSeries } from './statistics-view';

export function timeChart({ buckets, rows }: TimeSeries): Html {
  const step = STEP_NAMES[buckets];
  const { about, scale, plot } = chartDrawing({ buckets, rows });
  return html`<section class="card wide">
    <h2>Clicks per ${step}</h2>
    <div class="chart">
      <svg class="scale" aria-hidden="true">${scale.map(shapeMarkup)}</svg>
      <svg class="plot" role="img" aria-label="${about}">${plot.map(shapeMarkup)}</svg>
    </div>
    ${rows.some(({ partial, clicks }) => partial !== undefined && clicks > 0) && LEGEND}
    ${chartTable(step, rows, bucketNames(buckets, rows))}
  </section>`;
}

/** Escapes values and strings. Element and attribute names are trusted. */
function shapeMarkup({ element, attributes, text }: Shape): Html {
  const [start, end] = [new Html(`<${element}`), new Html(`</${element}>`)];
  const pairs = Object.entries(attributes).map(
    ([name, value]) => html` ${new Html(name)}="${value}"`,
  );
  const title = text !== undefined && html`<title>${text}</title>`;
  const content = element === 'rect' ? title : html`${text}`;
  return html`${start}${pairs}>${content}${end}`;
}

const LEGEND = html`<p class="hint"><span class="key partial"></span> Incomplete</p>`;

/** The newest bucket is the first row. */
function chartTable(step: string, rows: TimeSeries['rows'], names: readonly string[]): Html {
  return html`<details>
    <summary>Show as table</summary>
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
            ({ clicks, visitors }, i) =>
              html`<tr>
                <th scope="row">${names[rows.length - 1 - i]}</th>
                <td class="number">${groupDigits(clicks)}</td>
                <td class="number">${groupDigits(visitors)}</td>
              </tr>`,
          )}
        </tbody>
      </table>
    </div>
  </details>`;
}
