/* eslint-disable no-control-regex -- control characters are what is looked for */
const RISKY = /^[=+\-@\u0000-\u001f\u007f-\u009f]/;

/** A text that no spreadsheet takes for a formula: a risky one gets a leading `'`. */
export function safeCell(text: string): string {
  return RISKY.test(text) ? `'${text}` : text;
}
