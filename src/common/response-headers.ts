import { randomBytes } from 'node:crypto';

const ID_DIGITS = 12;
const POOLED_IDS = 512;
let drawn = '';
let offset = 0;

/** `req_` and 12 hex digits (docs/contract.md#1.1). Generates digits for 512 ids at a time. */
export function newRequestId(): string {
  if (offset === drawn.length) {
    drawn = randomBytes((ID_DIGITS / 2) * POOLED_IDS).toString('hex');
    offset = 0;
  }
  offset += ID_DIGITS;
  return `req_${drawn.slice(offset - ID_DIGITS, offset)}`;
}

/** Headers on every response except X-Request-ID (docs/contract.md#1.1). */
export function securityHeaders(https: boolean): readonly (readonly [string, string])[] {
  return [
    ['X-Content-Type-Options', 'nosniff'],
    ['X-Frame-Options', 'DENY'],
    ['Referrer-Policy', 'strict-origin-when-cross-origin'],
    ['Permissions-Policy', 'camera=(), microphone=(), geolocation=()'],
    ...(https ? ([['Strict-Transport-Security', 'max-age=31536000']] as const) : []),
  ];
}
