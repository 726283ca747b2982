import { html, page, type Viewer } from '../../common/http/page';
import { datesForm, type QueryProblem, type TypedQuery } from './page-query';

export function statisticsPasswordPage(
  path: string,
  message: string,
  wrong: boolean,
  viewer: Viewer | null,
): string {
  return page(
    'Password required',
    html`<section class="card">
      <h1>Password required</h1>
      <p id="message" ${wrong && html`class="problem" role="alert"`}>${message}.</p>
      <form method="post" action="${path}">
        <label for="password">Link password</label>
        <input
          id="password"
          name="password"
          type="password"
          autocomplete="off"
          required
          autofocus
          aria-describedby="message"
        />
        <button type="submit">Continue</button>
      </form>
    </section>`,
    { current: '/stats', viewer },
  );
}

export function statisticsFormPage(viewer: Viewer | null, problem: string | null = null): string {
  return page(
    'Statistics',
    html`<section class="card">
      <h1>Statistics</h1>
      <p class="lead">See how often a short link is clicked, and from where.</p>
      <form method="post" action="/stats">
        <label for="short_code">Short link or code</label>
        <input
          id="short_code"
          name="short_code"
          type="text"
          required
          ${problem === null && html`autofocus`}
          autocapitalize="none"
          autocomplete="off"
          spellcheck="false"
          ${problem !== null && html`aria-invalid="true" aria-describedby="problem" autofocus`}
        />
        ${problem !== null && html`<p class="problem" id="problem" role="alert">${problem}</p>`}
        <button type="submit">Show</button>
      </form>
    </section>`,
    { current: '/stats', viewer },
  );
}

export function statisticsQueryPage(
  path: string,
  typed: TypedQuery,
  problem: QueryProblem,
  viewer: Viewer | null,
): string {
  return page(
    'Statistics',
    html`<section class="card">
      <h1>Statistics</h1>
      <p class="problem" id="problem" role="alert">${problem.message}.</p>
      ${datesForm(path, typed, problem)}
      <p><a href="${path}">All time</a></p>
    </section>`,
    { current: '/stats', viewer },
  );
}
