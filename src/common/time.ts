import { BadRequestError } from './errors';

export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

const UNIX_MS = /^\d{1,15}$/;
const DATE_PART = /(\d{4})-(\d{2})-(\d{2})/.source;
const CLOCK_PART = /(\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?/.source;
/**
 * Accepts PostgreSQL times, U+2212 as a minus sign, and a space, which replaces an unescaped `+` in
 * a query.
 */
const OFFSET = / ?(?:[Zz]|([ +\-\u2212])(\d{2})(?::?(\d{2}))?)/.source;
const ISO_TIME = new RegExp(`^${DATE_PART}(?:[Tt ]${CLOCK_PART}(?:${OFFSET})?)?$`);
/** The latest valid JavaScript Date. */
const LAST_MS = 8.64e15;

/**
 * Unix seconds, or ISO 8601 (naive means UTC, date-only 00:00 UTC), see docs/contract.md#1.
 * Returns milliseconds since 1970-01-01 UTC, or null if invalid.
 */
export function parseTime(input: number | string): number | null {
  if (typeof input === 'number') return Number.isInteger(input) ? inRange(input * 1000) : null;
  const text = input.trim();
  if (UNIX_MS.test(text)) return inRange(Number(text) * 1000);
  const match = ISO_TIME.exec(text);
  return match ? inRange(fromParts(match)) : null;
}

/** ISO strings have four-digit years. */
const YEAR_10000_MS = Date.UTC(10_000, 0, 1);

/** Throws 400 if the time is invalid, or after the year 9999, as with milliseconds. */
export function validTime(input: number | string, field: string): Date {
  const ms = parseTime(input);
  if (ms === null ? isTooLarge(input) : ms >= YEAR_10000_MS) {
    throw new BadRequestError(
      `${field} is beyond the year 9999: a number means seconds since 1970, not milliseconds`,
      field,
    );
  }
  if (ms === null) throw new BadRequestError(`${field} is not a valid time`, field);
  // The API returns whole Unix seconds.
  return new Date(Math.floor(ms / 1000) * 1000);
}

/** Throws 400 if the time is not valid or not in the future. */
export function futureTime(input: number | string, field: string, now: number): Date {
  const time = validTime(input, field);
  if (time.getTime() <= now) throw new BadRequestError(`${field} must be in the future`, field);
  return time;
}

/** Whether a rejected input is a number and therefore merely out of range. */
function isTooLarge(input: number | string): boolean {
  return typeof input === 'number' ? input > 0 : /^\s*\d+\s*$/.test(input);
}

function fromParts(match: RegExpExecArray): number {
  const part = (index: number): number => Number(match[index] ?? 0);
  const [year, month, day] = [part(1), part(2), part(3)];
  const [hour, minute, second] = [part(4), part(5), part(6)];
  const [sign = '', offsetHours, offsetMinutes] = [match[8], part(9), part(10)];
  const millis = Math.trunc(Number(`0.${match[7] ?? '0'}`) * 1000);
  const midnight = new Date(0).setUTCFullYear(year, month - 1, day);
  const date = new Date(midnight);
  const realDay = date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
  if (!realDay || hour > 24 || minute > 59 || second > 59) return NaN;
  if (hour === 24 && (minute > 0 || second > 0 || millis > 0)) return NaN;
  if (offsetHours > 23 || offsetMinutes > 59) return NaN;
  const offset = (offsetHours * 60 + offsetMinutes) * 60_000 * (/[-\u2212]/.test(sign) ? -1 : 1);
  return midnight + ((hour * 60 + minute) * 60 + second) * 1000 + millis - offset;
}

function inRange(ms: number): number | null {
  return Number.isFinite(ms) && Math.abs(ms) <= LAST_MS ? ms : null;
}

export function unixSeconds(date: Date): number;
export function unixSeconds(date: Date | null): number | null;
export function unixSeconds(date: Date | null): number | null {
  return date === null ? null : Math.floor(date.getTime() / 1000);
}
