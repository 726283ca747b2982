import { randomBytes } from 'node:crypto';

const ID_DIGITS = 12;
const POOLED_IDS = 512;
let drawn = '';
let offset = 0;

/**
 * A new `X-Request-ID`: `req_` + 12 hex (docs/contract.md#1.1). Random digits are drawn for 512 ids
 * at a time.
 */
export function newRequestId(): string {
  if (offset === drawn.length) {
    drawn = randomBytes((ID_DIGITS / 2) * POOLED_IDS).toString('hex');
    offset = 0;
  }
  offset += ID_DIGITS;
  return `req_${drawn.slice(offset - ID_DIGITS, offset)}`;
}
