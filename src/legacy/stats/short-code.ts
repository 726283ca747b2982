import type { IncomingMessage } from 'node:http';
import { BadRequestError } from '../../core/errors';
import type { ErrorRendering, SelfRendering } from '../../http/error-answer';
import { statisticsFormPage } from '../../pages/statistics/statistics-form-page';

/** 400: the form was sent without a code; people get it back. */
export class ShortCodeMissingError extends BadRequestError implements SelfRendering {
  constructor() {
    super('A short link or its code is missing', 'short_code');
  }

  render({ headers }: IncomingMessage): ErrorRendering | null {
    if (headers.accept?.includes('application/json')) return null;
    return { contentType: 'text/html; charset=utf-8', body: statisticsFormPage(this.message) };
  }
}

/**
 * The code in what somebody typed: a code, or a whole short URL, of which the part after the last
 * `/` counts (contract 13.5). Percent-encoded emoji are decoded.
 */
export function shortCode(typed: string | null): string {
  const path = (typed ?? '')
    .trim()
    .replace(/[?#].*$/s, '')
    .replace(/\/+$/, '');
  const code = decoded(path.slice(path.lastIndexOf('/') + 1));
  if (code === '') throw new ShortCodeMissingError();
  return code.toWellFormed();
}

function decoded(code: string): string {
  try {
    return decodeURIComponent(code);
  } catch {
    return code;
  }
}
