import type { IncomingHttpHeaders } from 'node:http';
import { SIGNALS } from '../engines/click-engine/chunk/click';

export const QR_PAIR = 'qr=1';

/** Headers and values that mark a prefetch or preview. */
const PREFETCH_VALUES = {
  'sec-purpose': ['prefetch', 'prerender'],
  purpose: ['prefetch', 'prerender'],
  'x-moz': ['prefetch'],
  'x-purpose': ['preview'],
} as const;

const FLAG_HEADERS = Object.keys(PREFETCH_VALUES) as (keyof typeof PREFETCH_VALUES)[];

export function headerFlags(headers: IncomingHttpHeaders): number {
  for (const name of FLAG_HEADERS) {
    const value = headers[name];
    if (value !== undefined && says(String(value), PREFETCH_VALUES[name])) return SIGNALS.prefetch;
  }
  return 0;
}

function says(list: string, words: readonly string[]): boolean {
  return list.split(',').some((item) => {
    const [word = ''] = item.split(';', 1);
    return words.includes(word.trim().toLowerCase());
  });
}

export function queryFlags(query: string): number {
  return query !== '' && isOfQrCode(query) ? SIGNALS.qrCode : 0;
}

export function isOfQrCode(query: string): boolean {
  return query.includes(QR_PAIR) && query.split('&').includes(QR_PAIR);
}
