import { html, type Html, page, type PageSummary, type Viewer } from '../../common/http/page';
import { formPath, site } from '../../common/site';

export interface TypedForm {
  readonly url?: string;
  readonly alias?: string;
  readonly maxClicks?: string;
  readonly expiresIn?: string;
  readonly blockBots?: boolean;
  /** Only for signed-in visitors; undefined before the form is sent. */
  readonly privateStats?: boolean;
  /** Whether the visitor typed a password, which the page never shows again. */
  readonly hadPassword?: boolean;
}

/** `field` is the id of the invalid input, or null. */
export interface ShortenProblem {
  readonly field: 'url' | 'alias' | 'password' | 'max-clicks' | 'expires-in' | null;
  readonly message: string;
  /** Link to a page where the problem can be solved. */
  readonly way?: { readonly path: string; readonly label: string };
}

/** Options of the field, with values in seconds and labels. */
const LIFETIMES = [
  ['3600', '1 hour'],
  ['86400', '1 day'],
  ['604800', '7 days'],
  ['2592000', '30 days'],
  ['31536000', '1 year'],
] as const;

/**
 * @param baseUrl prefix shown before the alias
 * @param viewer the link's future owner
 */
export function homePage(
  baseUrl: string,
  viewer: Viewer | null,
  typed: TypedForm = {},
  problems: readonly ShortenProblem[] = [],
): string {
  const isFirst = problems.length === 0;
  return page(
    isFirst ? 'Shorten a link' : 'That did not work',
    html`<section class="card">
        <h1>Shorten a link</h1>
        <p class="lead">Paste a long address, get a short link, and see how often it is clicked.</p>
        ${viewer?.emailVerified === false && isFirst && unverified()}
        ${problems.filter(({ field }) => field === null).map(refusal)}
        <form method="post" action="/">
          ${urlField(typed, problems)}
          <details ${anyOption(typed, problems) ? html`open` : null}>
            <summary>Options</summary>
            ${aliasField(baseUrl, typed, problems)} ${passwordField(typed, problems)}
            ${lifetimeField(typed, problems)} ${maxClicksField(typed, problems)}
            <p class="check">
              <input
                id="block-bots"
                name="block-bots"
                type="checkbox"
                value="on"
                ${typed.blockBots ? html`checked` : null}
              />
              <label for="block-bots">Block known bots</label>
            </p>
            ${viewer !== null && privateStatsField(typed)}
          </details>
          <p class="actions">
            <button type="submit">Shorten</button>
          </p>
          <p class="hint">
            Prefer an emoji alias?
            <button type="submit" class="plain" formaction="/emoji">With emoji</button>
          </p>
        </form>
      </section>
      ${isFirst && offers(viewer)}`,
    {
      current: '/',
      viewer,
      script: 'alias-check.js',
      summary: isFirst ? homeSummary(baseUrl) : undefined,
    },
  );
}

function homeSummary(baseUrl: string): PageSummary {
  const { name } = site();
  const description = `${name} makes short links: paste a long address, get a short link, and see how often it is clicked.`;
  return { description, baseUrl, path: formPath() };
}

function offers(viewer: Viewer | null): Html {
  return html`<section class="offers" aria-label="About short links">
    <div>
      <h2>See how a link performs</h2>
      <p>Clicks and visitors by day, country, device and source. Visitors get no cookies.</p>
    </div>
    <div>
      <h2>Customise your link</h2>
      <p>Choose an alias, set a password or an expiry, and print a QR code.</p>
    </div>
    <div>
      <h2>Stay in control</h2>
      <p>
        ${
          viewer === null && site().registration !== 'closed'
            ? html`<a href="/register">Sign up</a> to change where a link leads, pause it, and keep
                its statistics private.`
            : html`With an account you can change where a link leads, pause it, and keep its
              statistics private.`
        }
      </p>
    </div>
  </section>`;
}

/** Text in place of the form if creating links requires an account. */
export function closedHomePage(baseUrl: string): string {
  const { name } = site();
  return page(
    'Short links',
    html`<section class="card">
      <h1>Short links of ${name}</h1>
      <p class="lead">You need an account to create links here. Anyone can open them.</p>
      <p class="actions">
        <a class="button" href="/login">Sign in</a>
        ${
          site().registration !== 'closed' &&
          html`<a class="button quiet" href="/register">Sign up</a>`
        }
      </p>
    </section>`,
    {
      current: '/',
      summary: {
        description: `Short links of ${name}. Only users with an account can create them; anyone can open them.`,
        baseUrl,
        path: formPath(),
      },
    },
  );
}

function unverified(): Html {
  return html`<p class="notice">
    Verify your email address before you create links.
    <a href="/register/verify">Enter the code</a>
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
    <label for="private-stats">Keep the statistics private</label>
  </p>`;
}

function refusal({ message: text, way }: ShortenProblem): Html {
  return html`<p class="problem" role="alert">
    ${text} ${way !== undefined && html`<a href="${way.path}">${way.label}</a>`}
  </p>`;
}

/**
 * The input has no type `url`, which requires a scheme, and no `maxlength`, which cuts pasted text.
 */
function urlField({ url }: TypedForm, problems: Problems): Html {
  return html`<label for="url">Long address</label>
    <input
      id="url"
      name="url"
      type="text"
      inputmode="url"
      required
      autocapitalize="none"
      autocomplete="off"
      spellcheck="false"
      placeholder="example.com/a/long/address"
      value="${url}"
      ${problems.length === 0 ? html`autofocus` : shortenFaultAttributes('url', problems)}
    />
    ${message('url', problems)}`;
}

function aliasField(baseUrl: string, { alias }: TypedForm, problems: Problems): Html {
  return html`<label for="alias">Alias ${OPTIONAL_HINT}</label>
    <div class="prefixed">
      <span id="alias-prefix" dir="ltr">${baseUrl.replace(/^https?:\/\//i, '')}/</span>
      <input
        id="alias"
        name="alias"
        type="text"
        autocapitalize="none"
        autocomplete="off"
        spellcheck="false"
        pattern="[A-Za-z0-9_\\-]{3,16}"
        title="3 to 16 letters, digits, hyphens or underscores"
        value="${alias}"
        ${shortenFaultAttributes('alias', problems, 'alias-prefix', 'alias-rule')}
      />
    </div>
    <p class="hint" id="alias-rule">
      3 to 16 letters, digits, hyphens or underscores. Leave it empty to get a random alias.
    </p>
    <p class="hint" id="alias-check" role="status" hidden></p>
    ${message('alias', problems)}`;
}

/** If the password was rejected, the error already states the rule. */
function passwordField({ hadPassword }: TypedForm, problems: Problems): Html {
  const isRefused = problemOfField('password', problems) !== undefined;
  return html`<label for="password">Password ${OPTIONAL_HINT}</label>
    <input
      id="password"
      name="password"
      type="password"
      autocomplete="new-password"
      minlength="8"
      ${shortenFaultAttributes('password', problems, 'password-rule')}
    />
    <p class="hint" id="password-rule">
      ${!isRefused && 'At least 8 characters: letters, digits and a dot or @, such as blue.sky7. '}
      ${isRefused && 'For example: blue.sky7. '}
      ${hadPassword === true && problems.length > 0 && 'Enter the password again.'}
    </p>
    ${message('password', problems)}`;
}

function lifetimeField({ expiresIn }: TypedForm, problems: Problems): Html {
  return html`<label for="expires-in">Expires after</label>
    <select id="expires-in" name="expires-in" ${shortenFaultAttributes('expires-in', problems)}>
      <option value="">Never</option>
      ${LIFETIMES.map(
        ([seconds, label]) =>
          html`<option value="${seconds}" ${seconds === expiresIn && html`selected`}>
            ${label}
          </option>`,
      )}
    </select>
    ${message('expires-in', problems)}`;
}

function maxClicksField({ maxClicks }: TypedForm, problems: Problems): Html {
  return html`<label for="max-clicks">Click limit ${OPTIONAL_HINT}</label>
    <input
      id="max-clicks"
      name="max-clicks"
      type="number"
      inputmode="numeric"
      min="1"
      step="1"
      value="${maxClicks}"
      ${shortenFaultAttributes('max-clicks', problems, 'max-clicks-rule')}
    />
    <p class="hint" id="max-clicks-rule">The link closes after this many clicks.</p>
    ${message('max-clicks', problems)}`;
}

const OPTIONAL_HINT = html`<span class="hint">(optional)</span>`;

function anyOption(typed: TypedForm, problems: Problems): boolean {
  const { alias, maxClicks, expiresIn, blockBots, hadPassword } = typed;
  const typedAny = Boolean(alias ?? maxClicks ?? expiresIn) || blockBots || hadPassword;
  return typedAny === true || problems.some(({ field }) => field !== null && field !== 'url');
}

type ShortenField = NonNullable<ShortenProblem['field']>;
type Problems = readonly ShortenProblem[];

function problemOfField(field: ShortenField, problems: Problems): ShortenProblem | undefined {
  return problems.find((problem) => problem.field === field);
}

/** Refers to descriptions, marks an invalid input and focuses the first invalid one. */
function shortenFaultAttributes(
  field: ShortenField,
  problems: Problems,
  ...describedBy: string[]
): Html | null {
  const isAtFault = problemOfField(field, problems) !== undefined;
  const ids = isAtFault ? [...describedBy, `${field}-problem`] : describedBy;
  return html`${ids.length > 0 && html`aria-describedby="${ids.join(' ')}"`}
  ${isAtFault && html`aria-invalid="true"`} ${problems[0]?.field === field && html`autofocus`}`;
}

function message(field: ShortenField, problems: Problems): Html | null {
  const problem = problemOfField(field, problems);
  if (problem === undefined) return null;
  return html`<p class="problem" id="${field}-problem" role="alert">${problem.message}</p>`;
}
