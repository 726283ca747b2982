import { setImmediate } from 'node:timers/promises';
import { type ArgumentMetadata, Injectable, type PipeTransform } from '@nestjs/common';
import { BadRequestError } from '../errors';

const ID_FORM = /^[0-9a-f]{24}$/i;

/** Case-insensitive. */
export const isId = (text: string): boolean => ID_FORM.test(text);
/** Returns the id in lower case. Throws 400 with the field if invalid (docs/contract.md#1). */
export function parseId(text: string, field: string): string {
  if (ID_FORM.test(text)) return text.toLowerCase();
  throw new BadRequestError(`${field} must be a 24-character hexadecimal ID, not an alias`, field);
}

/**
 * Nest runs all pipes concurrently, but errors in body and query take precedence. Validation is
 * synchronous, so waiting for one turn of the event loop is enough.
 */
@Injectable()
export class ParseIdPipe implements PipeTransform<string, Promise<string>> {
  async transform(text: string, { data = 'id' }: ArgumentMetadata): Promise<string> {
    if (!ID_FORM.test(text)) await setImmediate();
    return parseId(text, data);
  }
}
