import { setImmediate } from 'node:timers/promises';
import { type ArgumentMetadata, Injectable, type PipeTransform } from '@nestjs/common';
import { BadRequestError } from '../errors';

const ID_FORM = /^[0-9a-f]{24}$/i;

/** Whether a text can be an id, in any case. */
export const isId = (text: string): boolean => ID_FORM.test(text);
/** An id in its stored form, 400 with that field when the text is none; upper case passes (docs/contract.md#1). */
export function parseId(text: string, field: string): string {
  if (ID_FORM.test(text)) return text.toLowerCase();
  throw new BadRequestError(
    `${field} must be an id of 24 hexadecimal characters, as lists have it; an alias is none`,
    field,
  );
}

/**
 * An id from a path in its stored form, 400 with the name of the parameter when it is none.
 *
 * Nest runs the pipes of all parameters at once, but the shape of body and query is judged before
 * ids (docs/contract.md#2). Validation waits for nothing, so it is over when the event loop turns.
 *
 * @example show(@Param('url_id', ParseIdPipe) urlId: string)
 */
@Injectable()
export class ParseIdPipe implements PipeTransform<string, Promise<string>> {
  async transform(text: string, { data = 'id' }: ArgumentMetadata): Promise<string> {
    if (!ID_FORM.test(text)) await setImmediate();
    return parseId(text, data);
  }
}
