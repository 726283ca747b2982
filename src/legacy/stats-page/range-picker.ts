import { html, type Html } from '../../common/http/html';
import type { Audience } from '../../engines/click-engine/query/statistics-query';
import {
  AUDIENCE_TITLES,
  DEFAULT_AUDIENCE,
  type PageQuery,
  type Range,
  RANGES,
  statisticsPath,
  type TypedQuery,
} from './page-query';

export function rangePicker(alias: string, query: PageQuery): Html {
  const ranges = Object.keys(RANGES) as Range[];
  const audiences = Object.keys(AUDIENCE_TITLES) as Audience[];
  return html`<div class="picker">
      <nav aria-label="Time range" class="choices">
        ${ranges.map((range) =>
          choice(
            RANGES[range].label,
            statisticsPath(alias, query, { range }),
            query.range === range,
          ),
        )}
      </nav>
      <nav aria-label="Audience" class="choices">
        ${audiences.map((audience) =>
          choice(
            AUDIENCE_TITLES[audience],
            statisticsPath(alias, query, { audience }),
            query.audience === audience,
          ),
        )}
      </nav>
    </div>
    <details class="dates" ${query.range === null && html`open`}>
      <summary>Other dates</summary>
      ${datesForm(`/stats/${encodeURIComponent(alias)}`, query)}
    </details>`;
}

function choice(label: string, path: string, isChosen: boolean): Html {
  return html`<a href="${path}" rel="nofollow" ${isChosen && html`aria-current="true"`}
    >${label}</a
  >`;
}

export interface QueryProblem {
  readonly field: string;
  readonly message: string;
}

export function datesForm(
  path: string,
  typed: Pick<TypedQuery, 'from' | 'to' | 'timezone' | 'audience'>,
  problem: QueryProblem | null = null,
): Html {
  return html`<form method="get" action="${path}" class="dates">
    <p>
      <label for="from">From</label>
      <input id="from" name="from" type="date" value="${typed.from}" ${fault('from', problem)} />
    </p>
    <p>
      <label for="to">To (included)</label>
      <input id="to" name="to" type="date" value="${typed.to}" ${fault('to', problem)} />
    </p>
    <p>
      <label for="timezone">Time zone</label>
      <input
        id="timezone"
        name="timezone"
        type="text"
        maxlength="50"
        autocapitalize="none"
        autocomplete="off"
        spellcheck="false"
        placeholder="UTC"
        title="A name such as Europe/Berlin"
        value="${typed.timezone}"
        ${fault('timezone', problem)}
      />
    </p>
    ${
      typed.audience !== null &&
      typed.audience !== DEFAULT_AUDIENCE &&
      html`<input type="hidden" name="audience" value="${typed.audience}" />`
    }
    <p><button type="submit" class="quiet">Show</button></p>
  </form>`;
}

function fault(field: string, problem: QueryProblem | null): Html | false {
  return problem?.field === field && html`aria-invalid="true" aria-describedby="problem" autofocus`;
}
