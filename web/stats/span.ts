/** Ranges that the picker offers; `custom` has days of its own. */
export const RANGES = [
  'today',
  'yesterday',
  '7d',
  '30d',
  '90d',
  'month',
  'last-month',
  'quarter',
  'year',
  '12mo',
  'all',
] as const;
export type Range = (typeof RANGES)[number] | 'custom';

/** A stretch of time; an end of null is now. */
export interface Span {
  readonly start: Date | null;
  readonly end: Date | null;
  /** Whole days that it covers, today included; null where nobody knows how far back it goes. */
  readonly days: number | null;
  /** Calendar months that it is made of, the one under way included. */
  readonly months?: number;
}

const DAYS = { today: 1, '7d': 7, '30d': 30, '90d': 90, '12mo': 365 } as const;
const DAY_MS = 86_400_000;

/**
 * The stretch that a range means now, in days of the zone.
 *
 * @param from first day of a custom range, `2026-11-21`; empty = from the beginning
 * @param to its last day; empty = until now
 */
export function spanOf(range: Range, from: string, to: string, zone: string, now: Date): Span {
  const today = dayIn(now, zone);
  const [year = 0, month = 1] = today.split('-').map(Number);
  if (range === 'all') return { start: null, end: null, days: null };
  if (range === 'yesterday') return spanOfDays(shiftDay(today, -1), shiftDay(today, -1), zone, now);
  if (range === 'last-month') {
    const last = shiftDay(firstOf(year, month), -1);
    return { ...spanOfDays(firstOf(year, month - 1), last, zone, now), months: 1 };
  }
  if (range === 'month' || range === 'quarter' || range === 'year') {
    const months = { month: 1, quarter: 3, year: 12 }[range];
    const first = firstOf(year, month - ((month - 1) % months));
    return { ...spanOfDays(first, '', zone, now), months };
  }
  return range === 'custom'
    ? spanOfDays(from, to, zone, now)
    : spanOfDays(shiftDay(today, 1 - DAYS[range]), '', zone, now);
}

function spanOfDays(from: string, to: string, zone: string, now: Date): Span {
  const today = dayIn(now, zone);
  const last = to === '' || to >= today ? null : to;
  return {
    start: from === '' ? null : midnight(from, zone),
    end: last === null ? null : endOf(last, zone),
    days: from === '' ? null : dayCount(from, last ?? today),
  };
}

/** The stretch just before, as long as this one, cut where this one is not over yet; null where there is none. */
export function spanBefore(
  { start, end, days, months }: Span,
  zone: string,
  now: Date,
): Span | null {
  if (start === null || days === null) return null;
  const first = dayIn(start, zone);
  const [year = 0, month = 1] = first.split('-').map(Number);
  const before = months === undefined ? shiftDay(first, -days) : firstOf(year, month - months);
  const last = endOf(shiftDay(first, -1), zone);
  const span = { start: midnight(before, zone), end: last, days };
  if (end !== null) return span;
  // The same number of days after the first, as long after midnight, which clock changes may have moved.
  const passed = now.getTime() - midnight(dayIn(now, zone), zone).getTime();
  const day = midnight(shiftDay(before, days - 1), zone).getTime();
  const until = day + Math.min(passed, DAY_MS - 1);
  return { ...span, end: new Date(Math.min(until, last.getTime())) };
}

function firstOf(year: number, month: number): string {
  return new Date(Date.UTC(year, month - 1)).toISOString().slice(0, 10);
}

/** The last moment of a day. */
function endOf(day: string, zone: string): Date {
  return new Date(midnight(shiftDay(day, 1), zone).getTime() - 1);
}

/** The day of a moment in a zone, `2026-11-21`. */
export function dayIn(at: Date, zone: string): string {
  return new Intl.DateTimeFormat('en-CA', {
    timeZone: zone,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
  }).format(at);
}

export function shiftDay(day: string, days: number): string {
  const at = new Date(`${day}T00:00:00Z`);
  at.setUTCDate(at.getUTCDate() + days);
  return at.toISOString().slice(0, 10);
}

function dayCount(from: string, to: string): number {
  return Math.round((Date.parse(to) - Date.parse(from)) / DAY_MS) + 1;
}

/** When a day begins in a zone, also on the days on which its clocks change. */
export function midnight(day: string, zone: string): Date {
  const utc = Date.parse(`${day}T00:00:00Z`);
  // The offset of a moment near by, and once more at the moment that it leads to.
  let at = utc - offsetAt(utc, zone);
  at = utc - offsetAt(at, zone);
  // Where midnight does not exist, the day begins when it would have been over.
  while (dayIn(new Date(at), zone) < day) at += 1_800_000;
  return new Date(at);
}

/** Milliseconds by which a zone is ahead of UTC at a moment. */
function offsetAt(at: number, zone: string): number {
  const parts = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  }).formatToParts(at);
  const of = (type: string): number => Number(parts.find((part) => part.type === type)?.value);
  const local = Date.UTC(
    of('year'),
    of('month') - 1,
    of('day'),
    of('hour'),
    of('minute'),
    of('second'),
  );
  return local - Math.floor(at / 1000) * 1000;
}
