import { BadRequestError } from '../common/errors';
import { parseTime } from '../common/time';

/** The moment a link expires; 400 when unreadable or not in the future (docs/contract.md#5.1). */
export function futureExpiry(input: number | string, now: number): Date {
  const ms = parseTime(input);
  if (ms === null) throw new BadRequestError('expire_after is not a readable time', 'expire_after');
  // Whole seconds, as Unix time is what the API answers.
  const seconds = Math.floor(ms / 1000);
  if (seconds * 1000 <= now)
    throw new BadRequestError('expire_after must be in the future', 'expire_after');
  return new Date(seconds * 1000);
}
