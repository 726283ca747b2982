import { EXPORT_FORMATS } from '../../infrastructure/files/file-formats';
import { html, Html, page, visibleText } from '../../common/http/page';
import { parseUrl } from '../../config/url';
import { formatCount, groupDigits, share } from '../../pages/wording';
import { bucketNames, chartDrawing, type Shape, STEP_NAMES } from '../../pages/chart-drawing';
import { AUDIENCE_TITLES, rangePicker, statisticsPath } from './page-query';
import type { Fact, Row, RowList, StatisticsView, TimeSeries } from './statistics-view';

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

export function statisticsPage(view: StatisticsView): string {
  return page(
    `Statistics of ${view.alias}`,
    html`<h1>Statistics</h1>
      <p class="address selectable" dir="ltr">${view.shortUrl}</p>
      ${leadsTo(view.destination)}
      ${view.isPrivate && html`<p class="hint">Private: only you can see this page.</p>`}
      ${rangePicker(view.alias, view.query)}
      <p class="period">${view.period}</p>
      ${view.clicks === 0 ? nothing(view) : figures(view)}
      <section class="card wide">
        <h2>About the link</h2>
        <dl class="facts">${view.facts.map(fact)}</dl>
      </section>
      ${view.clicks > 0 && downloads(view)}`,
    { current: '/stats', viewer: view.viewer },
  );
}

/** The destination is not trusted, hence `nofollow` and `noreferrer`. */
function leadsTo(destination: string | null): Html {
  if (destination === null) return html`<p>The link no longer leads anywhere.</p>`;
  const url = parseUrl(destination);
  const text = visibleText(destination);
  return html`<p class="destination">
    Leads to
    ${
      url === null
        ? text
        : html`<a href="${url.href}" rel="noopener noreferrer nofollow" dir="ltr">${text}</a>`
    }
  </p>`;
}

function nothing({ alias, query, allClicks, otherClasses }: StatisticsView): Html {
  if (allClicks === 0) {
    return html`<section class="card wide empty">
      <p>No clicks yet.</p>
      <p class="hint">Share the short link: clicks appear here within seconds.</p>
    </section>`;
  }
  return html`<section class="card wide empty">
    <p>No clicks${WHOSE[query.audience]} in this range.</p>
    ${otherClasses !== null && html`<p class="hint">${otherClasses}</p>`}
    <p>
      <a href="${statisticsPath(alias, query, { range: 'all', audience: 'all' })}"
        >Show all ${formatCount(allClicks, 'click')}</a
      >
    </p>
  </section>`;
}

const WHOSE = { all: '', human: ' by people', preview: ' by previews', bot: ' by bots' } as const;

function figures(view: StatisticsView): Html {
  return html`<dl class="totals">${view.totals.map(total)}</dl>
    ${view.otherClasses !== null && html`<p class="hint">${view.otherClasses}</p>`}
    ${timeChart(view.series)}
    <div class="lists">
      ${view.lists.filter(({ rows }) => rows.length > 0).map((list) => barList(list, view))}
      ${!view.hasCampaigns && NO_CAMPAIGNS}
    </div>
    ${
      view.showsPlaceSource &&
      html`<p class="hint">
        Places:
        <a href="https://db-ip.com" rel="noopener noreferrer">IP Geolocation by DB-IP</a>
      </p>`
    }`;
}

const NO_CAMPAIGNS = html`<section class="card">
  <h2>Campaigns</h2>
  <p class="hint">
    Add <code>?utm_source=newsletter</code>, <code>utm_medium</code> or <code>utm_campaign</code> to
    the short link where you share it. Its clicks are then listed here by campaign.
  </p>
</section>`;

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

function barList({ title, rows, cut }: RowList, { clicks }: StatisticsView): Html {
  const most = rows.reduce((largest, row) => Math.max(largest, row.clicks), 1);
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
        ${rows.map((row) => bar(row, most, clicks))}
      </tbody>
    </table>
    ${
      cut.values > 0 &&
      html`<p class="hint">
        and ${groupDigits(cut.values)} more with ${formatCount(cut.clicks, 'click')}: export them
        below
      </p>`
    }
  </section>`;
}

function bar({ label, clicks, visitors }: Row, most: number, all: number): Html {
  const width = ((clicks / most) * 100).toFixed(2);
  return html`<tr>
    <th scope="row" class="label">
      <bdi>${visibleText(label)}</bdi>
      <svg aria-hidden="true">
        <rect class="rest" width="100%" height="100%" rx="3" />
        <rect class="part" width="${width}%" height="100%" rx="3" />
      </svg>
    </th>
    <td class="number">${groupDigits(clicks)} <span class="share">${share(clicks, all)}</span></td>
    <td class="number">${groupDigits(visitors)}</td>
  </tr>`;
}

const FORMAT_NAMES = { csv: 'CSV (zip)', xlsx: 'Excel', json: 'JSON', xml: 'XML' } as const;

function downloads({ alias, query, period }: StatisticsView): Html {
  return html`<section class="card wide">
    <h2>Export</h2>
    <p class="hint">${period} · ${AUDIENCE_TITLES[query.audience]} · complete lists</p>
    <p class="actions">
      ${EXPORT_FORMATS.map(
        (format) =>
          html`<a
            class="button quiet"
            href="${statisticsPath(alias, query, { format })}"
            rel="nofollow"
            >${FORMAT_NAMES[format]}</a
          >`,
      )}
    </p>
  </section>`;
}
