/** `custom` has explicit days. */
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

/** A null `end` means now. */
export interface Span {
  readonly start: Date | null;
  readonly end: Date | null;
  /** Whole days, including today; null for unlimited. */
  readonly days: number | null;
  /** Calendar months, including the current one. */
  readonly months?: number;
}

const DAYS = { today: 1, '7d': 7, '30d': 30, '90d': 90, '12mo': 365 } as const;
const DAY_MS = 86_400_000;

/**
 * Returns the current period for a range.
 * @param from first day, `2026-11-21`; '' for unlimited
 * @param to last day; '' for now
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

/**
 * Returns the previous period of the same length, shortened if the current period is incomplete;
 * null if there is none.
 */
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
  // Uses the same number of days and time since midnight, because clocks may change.
  const passed = now.getTime() - midnight(dayIn(now, zone), zone).getTime();
  const day = midnight(shiftDay(before, days - 1), zone).getTime();
  const until = day + Math.min(passed, DAY_MS - 1);
  return { ...span, end: new Date(Math.min(until, last.getTime())) };
}

function firstOf(year: number, month: number): string {
  return new Date(Date.UTC(year, month - 1)).toISOString().slice(0, 10);
}

function endOf(day: string, zone: string): Date {
  return new Date(midnight(shiftDay(day, 1), zone).getTime() - 1);
}

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

/** Returns the start of a day in a zone, even if clocks change on that day. */
export function midnight(day: string, zone: string): Date {
  const utc = Date.parse(`${day}T00:00:00Z`);
  // Uses the offset near midnight, then the offset at the result.
  let at = utc - offsetAt(utc, zone);
  at = utc - offsetAt(at, zone);
  // If a clock change skips midnight, the day starts after the gap.
  while (dayIn(new Date(at), zone) < day) at += 1_800_000;
  return new Date(at);
}

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
