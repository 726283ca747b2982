import type { IncomingHttpHeaders } from 'node:http';
import { SIGNALS } from '../engines/click-engine/chunk/signals';

export const QR_PAIR = 'qr=1';

/** Headers and values that mark a prefetch or preview. */
const ASKING_AHEAD = {
  'sec-purpose': ['prefetch', 'prerender'],
  purpose: ['prefetch', 'prerender'],
  'x-moz': ['prefetch'],
  'x-purpose': ['preview'],
} as const;

const FLAG_HEADERS = Object.keys(ASKING_AHEAD) as (keyof typeof ASKING_AHEAD)[];

export function headerFlags(headers: IncomingHttpHeaders): number {
  for (const name of FLAG_HEADERS) {
    const value = headers[name];
    if (value !== undefined && says(String(value), ASKING_AHEAD[name])) return SIGNALS.askedAhead;
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
