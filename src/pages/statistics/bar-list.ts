import { html, type Html } from '../../http/html';
import { visibleText } from '../../http/visible-text';
import { groupDigits } from './grouped';
import type { Row, RowList } from './statistics-view';

/** A breakdown as a table whose rows carry bars; the biggest, then what is left. */
export function barList({ title, rows, cut }: RowList): Html {
  const most = rows.reduce((largest, { clicks }) => Math.max(largest, clicks), 1);
  return html`<section class="card">
    <table class="bars">
      <caption>
        <h2>${title}</h2>
      </caption>
      <thead>
        <tr>
          <td></td>
          <th scope="col" class="number">Clicks</th>
          <th scope="col" class="number">Visitors</th>
        </tr>
      </thead>
      <tbody>
        ${rows.map((row) => bar(row, most))}
      </tbody>
    </table>
    ${cut.values > 0 && html`<p class="hint">${remainder(cut)}</p>`}
  </section>`;
}

function bar({ label, clicks, visitors }: Row, most: number): Html {
  const width = ((clicks / most) * 100).toFixed(2);
  return html`<tr>
    <th scope="row" class="label">
      <bdi>${visibleText(label)}</bdi>
      <svg aria-hidden="true">
        <rect class="rest" width="100%" height="100%" rx="3" />
        <rect class="part" width="${width}%" height="100%" rx="3" />
      </svg>
    </th>
    <td class="number">${groupDigits(clicks)}</td>
    <td class="number">${groupDigits(visitors)}</td>
  </tr>`;
}

function remainder({ values, clicks }: RowList['cut']): string {
  return `and ${groupDigits(values)} more with ${groupDigits(clicks)} clicks: all are in the files below`;
}
