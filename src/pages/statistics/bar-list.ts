import { html, type Html } from '../../http/html';
import { visibleText } from '../../http/visible-text';
import { grouped } from './grouped';
import type { Row, RowList } from './statistics-view';

const SHOWN = 10;

/** A breakdown as a table whose rows carry bars; the ten biggest, then what is left. */
export function barList({ title, rows }: RowList): Html {
  const most = Math.max(1, ...rows.map(({ clicks }) => clicks));
  const hidden = rows.slice(SHOWN);
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
        ${rows.slice(0, SHOWN).map((row) => bar(row, most))}
      </tbody>
    </table>
    ${hidden.length > 0 && html`<p class="hint">${remainder(hidden)}</p>`}
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
    <td class="number">${grouped(clicks)}</td>
    <td class="number">${grouped(visitors)}</td>
  </tr>`;
}

function remainder(hidden: readonly Row[]): string {
  const clicks = hidden.reduce((sum, row) => sum + row.clicks, 0);
  return `and ${hidden.length} more with ${grouped(clicks)} clicks: all are in the files below`;
}
