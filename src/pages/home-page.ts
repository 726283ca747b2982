import { html, type Html } from '../common/http/html';
import { page } from '../common/http/page';

/** What somebody has typed into the shortening form, to show it again. */
export interface TypedForm {
  readonly url?: string;
  readonly alias?: string;
  readonly maxClicks?: string;
  readonly blockBots?: boolean;
}

/** What was wrong with it; `field` is the id of the input at fault. */
export interface FormProblem {
  readonly field: 'url' | 'alias' | 'password' | 'max-clicks';
  readonly message: string;
}

/** The page with the shortening form (docs/contract.md#13.5); passwords are never shown again. */
export function homePage(typed: TypedForm = {}, problem: FormProblem | null = null): string {
  return page(
    problem === null ? 'Shorten a link' : 'That did not work',
    html`<section class="card">
      <h1>Shorten a link</h1>
      <p class="lead">Paste a long address, get a short one, see how often it is followed.</p>
      <form method="post" action="/">
        ${urlField(typed, problem)}
        <details ${anyOption(typed, problem) ? html`open` : null}>
          <summary>Options</summary>
          ${aliasField(typed, problem)} ${passwordField(problem)} ${maxClicksField(typed, problem)}
          <p class="check">
            <input
              id="block-bots"
              name="block-bots"
              type="checkbox"
              value="on"
              ${typed.blockBots ? html`checked` : null}
            />
            <label for="block-bots">Turn known bots away</label>
          </p>
        </details>
        <p class="actions">
          <button type="submit">Shorten</button>
          <button type="submit" class="quiet" formaction="/emoji">With emoji</button>
        </p>
      </form>
    </section>`,
  );
}

/** In place of the form where links are made with an account only. */
export function closedHomePage(): string {
  return page(
    'Short links',
    html`<section class="card">
      <h1>Short links</h1>
      <p class="lead">Links are made with an account here; everybody may follow them.</p>
      <p>Programs send an API key, as <a href="/docs">the API description</a> says.</p>
    </section>`,
  );
}

function urlField({ url }: TypedForm, problem: FormProblem | null): Html {
  return html`<label for="url">Long address</label>
    <input
      id="url"
      name="url"
      type="url"
      required
      maxlength="2048"
      placeholder="https://example.com/a/long/address"
      value="${url}"
      ${fault('url', problem)}
    />
    ${message('url', problem)}`;
}

function aliasField({ alias }: TypedForm, problem: FormProblem | null): Html {
  return html`<label for="alias">Alias <span class="hint">(optional)</span></label>
    <input
      id="alias"
      name="alias"
      type="text"
      autocapitalize="none"
      autocomplete="off"
      spellcheck="false"
      minlength="3"
      maxlength="16"
      pattern="[A-Za-z0-9_\\-]+"
      title="3 to 16 letters, digits, hyphens or underscores"
      value="${alias}"
      ${fault('alias', problem)}
    />
    ${message('alias', problem)}`;
}

function passwordField(problem: FormProblem | null): Html {
  return html`<label for="password">Password <span class="hint">(optional)</span></label>
    <input
      id="password"
      name="password"
      type="password"
      autocomplete="new-password"
      minlength="8"
      maxlength="128"
      aria-describedby="password-rule"
      ${fault('password', problem)}
    />
    <p class="hint" id="password-rule">
      At least 8 characters with a letter, a digit and one of @ and ., and no two of @ and . side by
      side.
    </p>
    ${message('password', problem)}`;
}

function maxClicksField({ maxClicks }: TypedForm, problem: FormProblem | null): Html {
  return html`<label for="max-clicks"
      >Close after … clicks <span class="hint">(optional)</span></label
    >
    <input
      id="max-clicks"
      name="max-clicks"
      type="number"
      inputmode="numeric"
      min="1"
      step="1"
      value="${maxClicks}"
      ${fault('max-clicks', problem)}
    />
    ${message('max-clicks', problem)}`;
}

function anyOption(typed: TypedForm, problem: FormProblem | null): boolean {
  const typedAny = Boolean(typed.alias ?? typed.maxClicks) || typed.blockBots === true;
  return typedAny || (problem !== null && problem.field !== 'url');
}

function fault(field: FormProblem['field'], problem: FormProblem | null): Html | null {
  if (problem?.field !== field) return null;
  return html`aria-invalid="true" aria-describedby="problem" autofocus`;
}

function message(field: FormProblem['field'], problem: FormProblem | null): Html | null {
  if (problem?.field !== field) return null;
  return html`<p class="problem" id="problem" role="alert">${problem.message}</p>`;
}
