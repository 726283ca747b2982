import { html, type Html } from '../../common/http/html';
import { page } from '../../common/http/page';
import { visibleText } from '../../common/http/visible-text';
import {
  type Fact,
  groupDigits,
  type Row,
  type RowList,
  type StatisticsView,
} from './statistics-view';
import { timeChart } from './time-chart';

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

/** The statistics of a link (docs/contract.md#13.5). */
export function statisticsPage(view: StatisticsView): string {
  const lists = view.lists.filter(({ rows }) => rows.length > 0);
  return page(
    `Statistics of ${view.alias}`,
    html`<h1>Statistics</h1>
      <p class="address" dir="ltr">${view.shortUrl}</p>
      <dl class="totals">${view.totals.map(total)}</dl>
      ${
        view.days.length > 0
          ? timeChart(view.days)
          : html`<section class="card wide"><p>Nobody has followed this link yet.</p></section>`
      }
      ${lists.length > 0 && html`<div class="lists">${lists.map(barList)}</div>`}
      <section class="card wide">
        <h2>About the link</h2>
        <dl class="facts">${view.facts.map(fact)}</dl>
      </section>
      ${downloads(view)}`,
  );
}

function total({ name, value }: Fact): Html {
  return html`<div>
    <dt>${name}</dt>
    <dd>${value}</dd>
  </div>`;
}

function fact({ name, value }: Fact): Html {
  return html`<dt>${name}</dt>
    <dd><bdi>${visibleText(value)}</bdi></dd>`;
}

function downloads({ alias, formats }: StatisticsView): Html {
  const path = `/export/${encodeURIComponent(alias)}`;
  return html`<section class="card wide">
    <h2>As a file</h2>
    <p class="actions">
      ${formats.map(
        (format) =>
          html`<a class="button quiet" href="${path}/${format}">${format.toUpperCase()}</a>`,
      )}
    </p>
  </section>`;
}
