import { firstCodePoints, textProblem } from '../common/plain-text';
import { MAX_TITLE } from '../stores/links/link';

const SCHEME = /^[a-z][a-z0-9+.-]*:(?!\d)/i;
const UNFIT = /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]+/gu;

/** Adds `http://` to an address without a scheme, as YOURLS and Kutt do. */
export function withScheme(address: string): string {
  const trimmed = address.trim();
  return trimmed === '' || SCHEME.test(trimmed) ? trimmed : `http://${trimmed}`;
}

/** Changes a title so that it is valid (docs/contract.md#19.1); null if nothing visible is left. */
export function fitTitle(text: string): string | null {
  const line = text.toWellFormed().replace(UNFIT, ' ').trim();
  const title = firstCodePoints(line, MAX_TITLE).trim();
  return textProblem(title, { max: MAX_TITLE }) === null ? title : null;
}
