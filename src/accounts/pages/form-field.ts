import { html, type Html } from '../../common/http/page';
import { type CurtailError, UnprocessableError } from '../../common/errors';
import { normalizePassword } from '../../common/password';
import { missingRequirements } from '../account/account-password';
import { WeakPasswordError } from '../account/accounts.errors';

export interface FormProblem {
  readonly message: string | null;
  readonly fields: Readonly<Record<string, string>>;
}

/** Messages for users by field. The API's messages are for programs. */
export type FieldWords = Readonly<Record<string, string>>;

export type SentForm = Readonly<Record<string, unknown>>;

/** @param sent input from a form that sets a password, to report all password errors together */
export function toFormProblem(
  error: CurtailError,
  words: FieldWords,
  sent?: SentForm,
): FormProblem {
  if (error instanceof UnprocessableError) {
    const known = error.problems.filter(({ field }) => Object.hasOwn(words, field));
    const said = Object.fromEntries(known.map(({ field }) => [field, words[field] ?? '']));
    const fields = 'password' in said ? said : { ...said, ...passwordProblem(sent?.password) };
    const message = known.length === 0 ? sentence(error.message) : null;
    return { message, fields };
  }
  const { field } = error;
  return field !== undefined && Object.hasOwn(words, field)
    ? { message: null, fields: { [field]: sentence(error.message) } }
    : { message: sentence(error.message), fields: {} };
}

function passwordProblem(password: unknown): Readonly<Record<string, string>> {
  if (typeof password !== 'string') return {};
  const missing = missingRequirements(normalizePassword(password));
  if (missing.length === 0) return {};
  return { password: sentence(new WeakPasswordError(missing).message) };
}

function sentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}

interface Field {
  readonly name: string;
  readonly label: string;
  readonly type: 'email' | 'password' | 'text';
  readonly autocomplete: string;
  readonly maxLength: number;
  readonly minLength?: number;
  readonly optional?: true;
  readonly numeric?: true;
  readonly hint?: string;
  readonly value?: string;
}

/** A labelled input with a hint and an error. Focuses the first invalid field, or the given one. */
export function field(
  { name, label, type, hint, value, ...rules }: Field,
  problem: FormProblem | null,
  hasFocus = false,
): Html {
  const wrong = problem?.fields[name];
  const describedBy = [
    ...(hint === undefined ? [] : [`${name}-hint`]),
    ...(wrong === undefined ? [] : [`${name}-problem`]),
  ];
  const isFirst = Object.keys(problem?.fields ?? {})[0] === name;
  const isFocused = wrong === undefined ? hasFocus && noneAtFault(problem) : isFirst;
  return html`<label for="${name}">${label} ${rules.optional && OPTIONAL}</label>
    <input
      id="${name}"
      name="${name}"
      type="${type}"
      autocomplete="${rules.autocomplete}"
      maxlength="${rules.maxLength}"
      ${rules.minLength !== undefined && html`minlength="${rules.minLength}"`}
      ${!rules.optional && html`required`}
      ${rules.numeric && html`inputmode="numeric" class="code"`}
      ${type === 'email' && html`autocapitalize="none" spellcheck="false"`}
      ${value !== undefined && html`value="${value}"`}
      ${describedBy.length > 0 && html`aria-describedby="${describedBy.join(' ')}"`}
      ${wrong !== undefined && html`aria-invalid="true"`}
      ${isFocused && html`autofocus`}
    />
    ${hint !== undefined && html`<p class="hint" id="${name}-hint">${hint}</p>`}
    ${
      wrong !== undefined &&
      html`<p class="problem" id="${name}-problem" ${isFirst && html`role="alert"`}>${wrong}</p>`
    }`;
}

const OPTIONAL = html`<span class="hint">(optional)</span>`;

function noneAtFault(problem: FormProblem | null): boolean {
  return Object.keys(problem?.fields ?? {}).length === 0;
}

export function generalProblem(problem: FormProblem | null): Html | null {
  if (problem === null || problem.message === null) return null;
  return html`<p class="problem" role="alert">${problem.message}</p>`;
}

/** The problem is in the title, because screen readers announce the title first. */
export function pageTitle(title: string, problem: FormProblem | null): string {
  return problem === null ? title : `Problem: ${title}`;
}
