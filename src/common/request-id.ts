import { randomFillSync } from 'node:crypto';

const POOL_BYTES = 6 * 512;
const pool = Buffer.allocUnsafe(POOL_BYTES);
let offset = POOL_BYTES;

/** A new `X-Request-ID`: `req_` + 12 hex (docs/contract.md#1.1). Random bytes are drawn 512 ids at a time. */
export function newRequestId(): string {
  if (offset === POOL_BYTES) {
    randomFillSync(pool);
    offset = 0;
  }
  offset += 6;
  return `req_${pool.toString('hex', offset - 6, offset)}`;
}
