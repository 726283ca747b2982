/* eslint-disable-next-line no-control-regex -- XML cannot hold them */
const NOT_IN_XML = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g;

/** A text that XML 1.0 can hold: what it cannot becomes the replacement character. */
export function xmlSafe(text: string): string {
  return text.replace(NOT_IN_XML, '\ufffd').replace(/\p{Surrogate}/gu, '\ufffd');
}
