import { type CurtailError, UnprocessableError } from '../../common/errors';

/** What is wrong with a form that was sent: a text beside each field at fault, or above all of them. */
export interface FormProblem {
  readonly message: string | null;
  readonly fields: Readonly<Record<string, string>>;
}

/** What each field wants, for people; the API words it for programs. */
export type FieldWords = Readonly<Record<string, string>>;

/** The problem that a refusal is to a form with these fields. */
export function problemOf(error: CurtailError, words: FieldWords): FormProblem {
  if (error instanceof UnprocessableError) {
    const known = error.problems.filter(({ field }) => Object.hasOwn(words, field));
    const fields = Object.fromEntries(known.map(({ field }) => [field, words[field] ?? '']));
    const message = known.length === 0 ? sentence(error.message) : null;
    return { message, fields };
  }
  const { field } = error;
  return field !== undefined && Object.hasOwn(words, field)
    ? { message: null, fields: { [field]: sentence(error.message) } }
    : { message: sentence(error.message), fields: {} };
}

function sentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}
