import { html, type Html } from '../../common/http/html';
import type { FormProblem } from './form-problem';

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
