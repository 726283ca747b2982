import type { ComponentChildren, PartialInputHTMLAttributes } from 'preact';
import { useId, useRef, useState } from 'preact/hooks';
import { Failure, failureOf } from '../api/failure';
import { account, isLeaving } from '../data/first-answer';
import { useStore } from '../data/store';
import { dateTime, plainDay } from '../format';
import { texts } from '../texts';
import { Icon } from './icons';
import { Problem, useSecondsUntil } from './problem';

interface FieldProps extends Omit<
  PartialInputHTMLAttributes<HTMLInputElement>,
  'value' | 'onInput' | 'name' | 'label' | 'prefix' | 'role' | 'type'
> {
  readonly label: string;
  readonly name: string;
  readonly type?: 'text' | 'password' | 'number' | 'date' | 'datetime-local';
  readonly value: string;
  readonly change: (value: string) => void;
  readonly hint?: ComponentChildren;
  readonly failure?: Failure | null;
  /** Problem found while typing. An error from the service takes precedence. */
  readonly problem?: string | undefined;
  /** Text before the input, which screen readers announce as part of the value. */
  readonly prefix?: string;
  readonly lines?: number;
  readonly isOptional?: boolean;
}

export function Field(props: FieldProps) {
  const { label, name, type, value, change, hint, failure, prefix, isOptional, ...rest } = props;
  const { problem: typing, lines, ...others } = rest;
  const id = useId();
  const refused = useRef({ failure, value });
  if (refused.current.failure !== failure) refused.current = { failure, value };
  // Hides the service's error when the value has changed.
  const isAsRefused = refused.current.value === value;
  const problem = (isAsRefused ? failure?.fields[name] : undefined) ?? typing;
  const describedBy = [
    prefix !== undefined && `${id}-prefix`,
    hint !== undefined && `${id}-hint`,
    problem !== undefined && `${id}-problem`,
  ].filter(Boolean);
  const [isShown, setShown] = useState(false);
  const isPassword = type === 'password';
  const inWords = dateInWords(type, value);
  const common = {
    id,
    name,
    value,
    'aria-invalid': problem !== undefined,
    'aria-describedby': describedBy.length > 0 ? describedBy.join(' ') : undefined,
  };
  const input =
    lines === undefined ? (
      <input
        {...others}
        {...common}
        // The types distinguish kinds of inputs and do not allow a union of kinds.
        // eslint-disable-next-line @typescript-eslint/no-unnecessary-type-assertion
        type={(isPassword && isShown ? 'text' : (type ?? 'text')) as 'text'}
        onInput={(event) => change(event.currentTarget.value)}
      />
    ) : (
      <textarea
        {...common}
        rows={lines}
        dir="auto"
        placeholder={others.placeholder}
        data-autofocus={(others as { 'data-autofocus'?: boolean })['data-autofocus']}
        onInput={(event) => change(event.currentTarget.value)}
      />
    );
  return (
    <div class="field">
      <label for={id}>
        {label}
        {isOptional && <span class="hint"> {texts.optional}</span>}
      </label>
      {isPassword && (
        <div class="with-eye">
          {input}
          <button
            type="button"
            class="plain icon-only"
            aria-pressed={isShown}
            aria-label={texts.showTyped}
            title={texts.showTyped}
            onClick={() => setShown(!isShown)}
          >
            <Icon name="eye" />
          </button>
        </div>
      )}
      {isPassword ? null : prefix === undefined ? (
        input
      ) : (
        <div class="prefixed">
          <span id={`${id}-prefix`} dir="ltr">
            {prefix}
          </span>
          {input}
        </div>
      )}
      {inWords !== null && <p class="hint">{inWords}</p>}
      <FieldNotes id={id} problem={problem} hint={hint} />
    </div>
  );
}

/** The browser's own language and order of dates can differ from those of the app. */
function dateInWords(type: FieldProps['type'], value: string): string | null {
  const isDate = type === 'date' || type === 'datetime-local';
  if (!isDate || Number.isNaN(Date.parse(value))) return null;
  return type === 'date' ? plainDay(value) : dateTime(new Date(value));
}

interface FieldNotesProps {
  readonly id: string;
  readonly problem: string | undefined;
  readonly hint: ComponentChildren;
}

export function FieldNotes({ id, problem, hint }: FieldNotesProps) {
  return (
    <>
      {problem !== undefined && (
        <p class="field-problem" id={`${id}-problem`} dir="auto">
          {problem}
        </p>
      )}
      {hint !== undefined && (
        <div class="hint" id={`${id}-hint`}>
          {hint}
        </div>
      )}
    </>
  );
}

interface CheckProps {
  readonly label: string;
  readonly checked: boolean;
  readonly change: (checked: boolean) => void;
  readonly hint?: string;
}

export function Check({ label, checked, change, hint }: CheckProps) {
  const id = useId();
  return (
    <div class="check">
      <input
        id={id}
        type="checkbox"
        checked={checked}
        aria-describedby={hint === undefined ? undefined : `${id}-hint`}
        onChange={(event) => change(event.currentTarget.checked)}
      />
      <div>
        <label for={id}>{label}</label>
        {hint !== undefined && (
          <p class="hint" id={`${id}-hint`}>
            {hint}
          </p>
        )}
      </div>
    </div>
  );
}

interface SubmitProps {
  readonly label: string;
  readonly submission: Submission;
  readonly isDisabled?: boolean;
  /** Whether the form also works for an account that is about to be deleted. */
  readonly whileLeaving?: boolean;
  readonly class?: string;
}

export function Submit(props: SubmitProps) {
  const { label, submission, isDisabled = false, whileLeaving = false, class: name } = props;
  const isStopped = isLeaving(useStore(account)) && !whileLeaving;
  const left = useSecondsUntil(submission.failure?.retryAt ?? null);
  const isBusy = submission.isRunning;
  return (
    <button
      type="submit"
      class={name}
      disabled={isDisabled || isStopped}
      aria-disabled={isBusy || left > 0}
      aria-busy={isBusy}
    >
      {isBusy ? texts.sending : label}
    </button>
  );
}

export interface Submission {
  readonly isRunning: boolean;
  readonly failure: Failure | null;
  /** Runs `work`, unless another run is pending or a rate limit applies. */
  run(work: () => Promise<void>): void;
  clear(): void;
}

/** @throws Failure if there are problems */
export function refuse(problems: Readonly<Record<string, string>>): void {
  if (Object.keys(problems).length > 0) throw Failure.ofFields(problems);
}

/** Form submission that focuses the first invalid field. */
export function useSubmission(): Submission {
  const [failure, setFailure] = useState<Failure | null>(null);
  const [isRunning, setRunning] = useState(false);
  const busy = useRef(false);
  return {
    isRunning,
    failure,
    clear: () => setFailure(null),
    run: (work) => {
      if (busy.current || (failure?.retryAt ?? 0) > Date.now()) return;
      busy.current = true;
      setRunning(true);
      setFailure(null);
      work()
        .catch((thrown: unknown) => {
          setFailure(failureOf(thrown));
          // Focuses the input after the message is rendered.
          setTimeout(() =>
            document.querySelector<HTMLElement>('form [aria-invalid="true"]')?.focus(),
          );
        })
        .finally(() => {
          busy.current = false;
          setRunning(false);
        });
    },
  };
}

/** Shows a form's general problem, or a problem with a hidden field. */
export function FormProblem({
  failure,
  shown,
}: {
  failure: Failure | null;
  shown: readonly string[];
}) {
  if (failure === null) return null;
  const fields = Object.keys(failure.fields);
  // A group shows the problems with its parts, such as `rules.0.to`.
  const isShown = (name: string): boolean => shown.includes(name.split('.')[0] ?? name);
  if (fields.length > 0 && fields.every(isShown)) return null;
  return <Problem failure={failure} />;
}

export interface ChoiceProps {
  readonly label: string;
  readonly value: string;
  readonly options: readonly (readonly [string, string])[];
  readonly change: (value: string) => void;
  readonly name?: string;
  readonly problem?: string | undefined;
  readonly hint?: string | undefined;
}

/** A select, which keeps the current value even if it is unknown. */
export function Choice(props: ChoiceProps) {
  const { label, value, options, change, name, problem, hint } = props;
  const id = useId();
  const known = options.some(([option]) => option === value)
    ? options
    : [...options, [value, value] as const];
  const describedBy = [
    hint !== undefined && `${id}-hint`,
    problem !== undefined && `${id}-problem`,
  ].filter(Boolean);
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <select
        id={id}
        name={name}
        value={value}
        aria-invalid={problem !== undefined}
        aria-describedby={describedBy.length > 0 ? describedBy.join(' ') : undefined}
        onChange={(event) => change(event.currentTarget.value)}
      >
        {known.map(([option, text]) => (
          <option key={option} value={option} selected={option === value}>
            {text}
          </option>
        ))}
      </select>
      <FieldNotes id={id} problem={problem} hint={hint} />
    </div>
  );
}
