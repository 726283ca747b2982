import { BadRequestError } from '../../common/errors';
import { parseTime } from '../../common/time';
import { timeZoneName } from '../../engines/click-engine/calendar/time-zone';

const WEEK_MS = 7 * 86_400_000;

/** Inclusive range in milliseconds, and the time zone for display. */
export interface Period {
  start: number;
  end: number;
  timezone: string;
}

export interface PeriodInput {
  start_date?: string;
  end_date?: string;
  timezone?: string;
}

/** Throws 400 if invalid. @param defaultStart null means seven days before the end */
export function readPeriod(
  input: PeriodInput,
  now: number,
  defaultStart: number | null = null,
): Period {
  const end = Math.min(readDate(input.end_date, 'end_date') ?? now, now);
  const given = readDate(input.start_date, 'start_date');
  if (given !== null && given > end) {
    throw new BadRequestError('start_date must not be later than end_date', 'start_date');
  }
  const start = given ?? Math.min(defaultStart ?? end - WEEK_MS, end);
  return { start: Math.min(Math.max(start, 0), end), end, timezone: readZone(input.timezone) };
}

function readDate(text: string | undefined, field: string): number | null {
  if (text === undefined) return null;
  const at = parseTime(text);
  if (at === null) throw new BadRequestError(`${field} is not a valid time`, field);
  return at;
}

/** Returns the current IANA name; UTC by default. Throws 400 for unknown names. */
export function readZone(name: string | undefined): string {
  const zone = timeZoneName(name ?? 'UTC');
  if (zone === null) throw new BadRequestError('timezone is not an IANA time zone', 'timezone');
  return zone;
}
