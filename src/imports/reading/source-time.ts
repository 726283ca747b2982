import { parseTime } from '../../common/time';
import { zonedTime } from './zoned-time';

/** Unix timestamps above this value are in milliseconds or smaller units. */
const YEAR_10000_MS = Date.UTC(10_000, 0, 1);
/** Lower numbers are spreadsheet dates or other counts: no shortener has links from before. */
const MIN_UNIX_SECONDS = 100_000_000;
const COMPACT = /^((?:19|20)\d{2})(\d{2})(\d{2})(?:$|T?(\d{2})(\d{2})(\d{2})(?=Z|[+-]|$))/i;
const TWELVE_HOURS = /\b(0?[1-9]|1[0-2])(:\d{2}(?::\d{2})?) ?([ap])\.?m\b\.?/i;
const UTC_OFFSET = / ?(?:UTC|GMT) ?([+-])(\d{1,2})(?::?(\d{2}))?\b/i;
const MONTHS = 'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ');
const CLOCK =
  /\b(\d{1,2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?)(?: ?(?:GMT|UTC)?([+-]\d{2}:?\d{2})| ?(UTC?|GMT|Z|[ECMP][SD]T)\b)?/i;
const MONTH_NAME = new RegExp(`\\b(${MONTHS.join('|')})[a-z]*`, 'i');
/** Once all parts of the time are removed, only a weekday may remain. */
const WEEKDAY = /^[\s,.-]*(?:(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*)?[\s,.-]*$/i;
const NAMED_ZONES: Readonly<Record<string, string>> = {
  EDT: '-0400',
  EST: '-0500',
  CDT: '-0500',
  CST: '-0600',
  MDT: '-0600',
  MST: '-0700',
  PDT: '-0700',
  PST: '-0800',
};

/**
 * Accepts the formats in docs/contract.md#1, month names (RFC 2822), `UTC`, `AM` and `PM`, ISO 8601
 * without separators, and Unix timestamps.
 * @returns milliseconds, truncated to whole seconds, or null for any other text
 */
export function sourceTime(text: string, zone: string): number | null {
  const given = spelledOut(text.trim().replaceAll(/\s+/g, ' '));
  if (/^\d{1,19}(?:\.\d{1,9})?$/.test(given)) return unixTime(Number(given));
  const iso = MONTH_NAME.test(given) ? withoutNames(given) : withoutZoneName(given);
  const at = parseTime(iso);
  if (at === null) return null;
  const isNaive = !/[z+\-\u2212]|\d \d/i.test(iso.slice(11));
  return wholeSeconds(isNaive ? zonedTime(at, zone) : at);
}

function wholeSeconds(ms: number): number {
  return Math.floor(ms / 1000) * 1000;
}

function unixTime(seconds: number): number | null {
  if (seconds < MIN_UNIX_SECONDS) return null;
  let ms = seconds * 1000;
  while (ms >= YEAR_10000_MS) ms /= 1000;
  return wholeSeconds(ms);
}

/** Writes separators, a 24-hour clock and an offset as `+02:00`. */
function spelledOut(text: string): string {
  return text
    .replace(COMPACT, (_, year, month, day, hour, minute, second) => {
      const date = `${year}-${month}-${day}`;
      return hour === undefined ? date : `${date}T${hour}:${minute}:${second}`;
    })
    .replace(TWELVE_HOURS, (_, hour: string, rest: string, half: string) => {
      return padded((Number(hour) % 12) + (/p/i.test(half) ? 12 : 0)) + rest;
    })
    .replace(UTC_OFFSET, (_, sign: string, hours: string, minutes = '00') => {
      return `${sign}${padded(hours)}:${minutes}`;
    });
}

/** Converts `2024-02-03 04:05:06 UTC` or `2024/02/03 04:05:06 +0100 CET` to ISO 8601. */
function withoutZoneName(text: string): string {
  return text
    .replace(/^(\d{4})\/(\d{2})\/(\d{2})(?= |$)/, '$1-$2-$3')
    .replace(/([+-]\d{2}:?\d{2}) [A-Z]{1,5}$/, '$1')
    .replace(/(:\d{2}(?:[.,]\d+)?) ?(?:UTC|GMT)$/i, '$1Z');
}

/** Converts `Sat, 03 Feb 2024 04:05:06 GMT` to ISO 8601; empty if a part is missing or extra. */
function withoutNames(text: string): string {
  // JavaScript appends the time zone name in parentheses.
  let rest = text.replace(/ \([^()]*\)$/, '');
  const take = (pattern: RegExp): RegExpExecArray | null => {
    const part = pattern.exec(rest);
    if (part !== null) rest = rest.replace(part[0], ' ');
    return part;
  };
  const [clock, time, offset, name = ''] = take(CLOCK) ?? [];
  const month = take(MONTH_NAME)?.[1]?.toLowerCase() ?? '';
  const year = take(/\b\d{4}\b/)?.[0];
  const day = take(/\b\d{1,2}\b/)?.[0];
  if (year === undefined || day === undefined || !WEEKDAY.test(rest)) return '';
  const date = `${year}-${padded(MONTHS.indexOf(month) + 1)}-${padded(day)}`;
  if (clock === undefined || time === undefined) return date;
  const zone = offset ?? NAMED_ZONES[name.toUpperCase()] ?? (name === '' ? '' : 'Z');
  return `${date}T${time.replace(/^\d:/, '0$&')}${zone}`;
}

function padded(part: number | string): string {
  return String(part).padStart(2, '0');
}
