import { html, type Html } from '../common/http/html';
import { page, type Viewer } from '../common/http/page';
import { site } from '../common/site';

/** What somebody has typed into the shortening form, to show it again. */
export interface TypedForm {
  readonly url?: string;
  readonly alias?: string;
  readonly maxClicks?: string;
  readonly expiresIn?: string;
  readonly blockBots?: boolean;
  /** Asked of who is signed in; undefined where nothing was typed yet. */
  readonly privateStats?: boolean;
  /** A password was typed, which is never shown again. */
  readonly hadPassword?: boolean;
}

/** What was wrong with it; `field` is the id of the input at fault, null where none is. */
export interface FormProblem {
  readonly field: 'url' | 'alias' | 'password' | 'max-clicks' | 'expires-in' | null;
  readonly message: string;
  /** What programs should do. */
  readonly hint?: string;
  /** Where people can do something about it. */
  readonly way?: { readonly path: string; readonly label: string };
}

/** The lifetimes that the form offers, in seconds. */
const LIFETIMES = [
  ['3600', '1 hour'],
  ['86400', '1 day'],
  ['604800', '7 days'],
  ['2592000', '30 days'],
  ['31536000', '1 year'],
] as const;

/**
 * The page with the shortening form (docs/contract.md#13.5); passwords are never shown again.
 *
 * @param baseUrl what stands before an alias
 * @param viewer whose account the link will belong to
 */
export function homePage(
  baseUrl: string,
  viewer: Viewer | null,
  typed: TypedForm = {},
  problem: FormProblem | null = null,
): string {
  return page(
    problem === null ? 'Shorten a link' : 'That did not work',
    html`<section class="card">
      <h1>Shorten a link</h1>
      <p class="lead">Paste a long address, get a short one, see how often it is followed.</p>
      ${viewer?.emailVerified === false && problem === null && unverified()}
      ${problem?.field === null && refusal(problem)}
      <form method="post" action="/">
        ${urlField(typed, problem)}
        <details ${anyOption(typed, problem) ? html`open` : null}>
          <summary>Options</summary>
          ${aliasField(baseUrl, typed, problem)} ${passwordField(typed, problem)}
          ${lifetimeField(typed, problem)} ${maxClicksField(typed, problem)}
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
          ${viewer !== null && privateStatsField(typed)}
        </details>
        <p class="actions">
          <button type="submit">Shorten</button>
          <button type="submit" class="quiet" formaction="/emoji">With emoji</button>
        </p>
      </form>
    </section>`,
    { current: '/', viewer, script: 'alias-check.js' },
  );
}

/** In place of the form where links are made with an account only. */
export function closedHomePage(): string {
  return page(
    'Short links',
    html`<section class="card">
      <h1>Short links</h1>
      <p class="lead">Links are made with an account here; everybody may follow them.</p>
      <p class="actions">
        <a class="button" href="/login">Sign in</a>
        ${
          site().registration !== 'closed' &&
          html`<a class="button quiet" href="/register">Sign up</a>`
        }
      </p>
      <p>Programs send an API key, as <a href="/docs">the API description</a> says.</p>
    </section>`,
  );
}

function unverified(): Html {
  return html`<p class="notice">
    Your address is not verified yet, and links need that.
    <a href="/register/verify">Type the code</a>
  </p>`;
}

function privateStatsField({ privateStats = true }: TypedForm): Html {
  return html`<p class="check">
    <input
      id="private-stats"
      name="private-stats"
      type="checkbox"
      value="on"
      ${privateStats && html`checked`}
    />
    <label for="private-stats">Show the statistics to me alone</label>
  </p>`;
}

function refusal({ message: text, hint, way }: FormProblem): Html {
  return html`<p class="problem" role="alert">
      ${text} ${way !== undefined && html`<a href="${way.path}">${way.label}</a>`}
    </p>
    ${hint !== undefined && html`<p class="hint">For programs: ${hint}.</p>`}`;
}

/** No input of type `url`: browsers would refuse an address without its scheme. */
function urlField({ url }: TypedForm, problem: FormProblem | null): Html {
  return html`<label for="url">Long address</label>
    <input
      id="url"
      name="url"
      type="text"
      inputmode="url"
      required
      maxlength="2048"
      autocapitalize="none"
      autocomplete="off"
      spellcheck="false"
      placeholder="example.com/a/long/address"
      value="${url}"
      ${problem === null ? html`autofocus` : fault('url', problem)}
    />
    ${message('url', problem)}`;
}

function aliasField(baseUrl: string, { alias }: TypedForm, problem: FormProblem | null): Html {
  return html`<label for="alias">Alias ${OPTIONAL}</label>
    <div class="prefixed">
      <span id="alias-prefix" dir="ltr">${baseUrl.replace(/^https?:\/\//i, '')}/</span>
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
        ${fault('alias', problem, 'alias-prefix', 'alias-rule')}
      />
    </div>
    <p class="hint" id="alias-rule">
      3 to 16 letters, digits, hyphens or underscores. Left empty, one is made up.
    </p>
    <p class="hint" id="alias-check" role="status" hidden></p>
    ${message('alias', problem)}`;
}

/** What is wrong with a password says the rule; then it does not stand there twice. */
function passwordField({ hadPassword }: TypedForm, problem: FormProblem | null): Html {
  const isRefused = problem?.field === 'password';
  return html`<label for="password">Password ${OPTIONAL}</label>
    <input
      id="password"
      name="password"
      type="password"
      autocomplete="new-password"
      minlength="8"
      maxlength="128"
      ${fault('password', problem, 'password-rule')}
    />
    <p class="hint" id="password-rule">
      ${!isRefused && 'At least 8 characters: letters, digits and a dot or @, such as blue.sky7. '}
      ${isRefused && 'For example: blue.sky7. '}
      ${hadPassword === true && problem !== null && 'The password has to be typed again.'}
    </p>
    ${message('password', problem)}`;
}

function lifetimeField({ expiresIn }: TypedForm, problem: FormProblem | null): Html {
  return html`<label for="expires-in">Closes after</label>
    <select id="expires-in" name="expires-in" ${fault('expires-in', problem)}>
      <option value="">never</option>
      ${LIFETIMES.map(
        ([seconds, label]) =>
          html`<option value="${seconds}" ${seconds === expiresIn && html`selected`}>
            ${label}
          </option>`,
      )}
    </select>
    ${message('expires-in', problem)}`;
}

function maxClicksField({ maxClicks }: TypedForm, problem: FormProblem | null): Html {
  return html`<label for="max-clicks">Most clicks ${OPTIONAL}</label>
    <input
      id="max-clicks"
      name="max-clicks"
      type="number"
      inputmode="numeric"
      min="1"
      step="1"
      value="${maxClicks}"
      ${fault('max-clicks', problem, 'max-clicks-rule')}
    />
    <p class="hint" id="max-clicks-rule">The link closes when it has been followed so often.</p>
    ${message('max-clicks', problem)}`;
}

const OPTIONAL = html`<span class="hint">(optional)</span>`;

function anyOption(typed: TypedForm, problem: FormProblem | null): boolean {
  const { alias, maxClicks, expiresIn, blockBots, hadPassword } = typed;
  const typedAny = Boolean(alias ?? maxClicks ?? expiresIn) || blockBots || hadPassword;
  return typedAny === true || ![null, undefined, 'url'].includes(problem?.field);
}

/** Attributes of an input: what describes it, and whether it is at fault. */
function fault(
  field: NonNullable<FormProblem['field']>,
  problem: FormProblem | null,
  ...describedBy: string[]
): Html | null {
  const isAtFault = problem?.field === field;
  const ids = isAtFault ? [...describedBy, 'problem'] : describedBy;
  return html`${ids.length > 0 && html`aria-describedby="${ids.join(' ')}"`}
  ${isAtFault && html`aria-invalid="true" autofocus`}`;
}

function message(field: FormProblem['field'], problem: FormProblem | null): Html | null {
  if (problem?.field !== field) return null;
  return html`<p class="problem" id="problem" role="alert">${problem.message}</p>`;
}
