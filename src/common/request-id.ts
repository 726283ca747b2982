import { randomBytes } from 'node:crypto';

const DIGITS = 12;
const IDS_AT_ONCE = 512;
let drawn = '';
let offset = 0;

/**
 * A new `X-Request-ID`: `req_` + 12 hex (docs/contract.md#1.1). Random digits are drawn for 512 ids
 * at a time.
 */
export function newRequestId(): string {
  if (offset === drawn.length) {
    drawn = randomBytes((DIGITS / 2) * IDS_AT_ONCE).toString('hex');
    offset = 0;
  }
  offset += DIGITS;
  return `req_${drawn.slice(offset - DIGITS, offset)}`;
}
