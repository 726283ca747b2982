import { BadRequestError } from '../core/errors';
import { parseTime } from '../core/time';

/** The moment a key expires; 400 when unreadable or not in the future (contract 11). */
export function keyExpiry(input: number | string, now: number): Date {
  const ms = parseTime(input);
  if (ms === null) throw new BadRequestError('expires_at is not a readable time', 'expires_at');
  // Whole seconds, as Unix time is what the API answers.
  const whole = Math.floor(ms / 1000) * 1000;
  if (whole <= now) throw new BadRequestError('expires_at must be in the future', 'expires_at');
  return new Date(whole);
}
