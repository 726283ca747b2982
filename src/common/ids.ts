import { BadRequestError } from './errors';

const ID = /^[0-9a-f]{24}$/i;

/** An id from a path in its stored form; 400 when it is none (docs/contract.md#1: upper case passes). */
export function readId(text: string, field: string): string {
  if (!ID.test(text))
    throw new BadRequestError(`${field} must have 24 hexadecimal characters`, field);
  return text.toLowerCase();
}
