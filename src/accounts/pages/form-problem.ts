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
