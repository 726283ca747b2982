/* eslint-disable no-control-regex -- control characters are what is looked for */
const RISKY = /^[=+\-@\uff1d\uff0b\uff0d\uff20\u0000-\u001f\u007f-\u009f]/;

/**
 * A text that no spreadsheet takes for a formula: a risky one gets a leading `'`. The full-width
 * forms of `=`, `+`, `-` and `@` are read as the plain ones where East Asian input is usual.
 */
export function safeCell(text: string): string {
  return RISKY.test(text) ? `'${text}` : text;
}
