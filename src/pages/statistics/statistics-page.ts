import { html, type Html } from '../../http/html';
import { page } from '../../http/page';
import { visibleText } from '../../http/visible-text';
import { barList } from './bar-list';
import type { Fact, StatisticsView } from './statistics-view';
import { timeChart } from './time-chart';

/** The statistics of a link (contract 13.5). */
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
      ${downloads(view.alias)}`,
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

function downloads(alias: string): Html {
  const formats = ['csv', 'xlsx', 'json', 'xml'];
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
