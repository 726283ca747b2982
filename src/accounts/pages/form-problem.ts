import { type CurtailError, UnprocessableError } from '../../common/errors';
import { normalizePassword } from '../../common/password';
import { missingRequirements } from '../account-password';
import { WeakPasswordError } from '../accounts.errors';

/** Problems of a form that was sent: a text beside each field at fault, or above all of them. */
export interface FormProblem {
  readonly message: string | null;
  readonly fields: Readonly<Record<string, string>>;
}

/** Texts that say what each field wants, for people; the API words it for programs. */
export type FieldWords = Readonly<Record<string, string>>;

/** The fields of a form as they came. */
export type SentForm = Readonly<Record<string, unknown>>;

/**
 * The problem that a refusal is to a form with these fields.
 *
 * @param sent of a form that sets a password: what that lacks is said together with the other
 * faults, although it is judged after them
 */
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
