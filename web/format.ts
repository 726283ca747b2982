import { texts } from './texts';

const { locale } = texts;
const number = new Intl.NumberFormat(locale);

/** Two digits, which distinguish small shares in long lists. */
const percent = new Intl.NumberFormat(locale, { style: 'percent', maximumSignificantDigits: 2 });
const moment = new Intl.DateTimeFormat(locale, {
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  timeZoneName: 'short',
});
const day = new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'short', year: 'numeric' });
const relative = {
  long: new Intl.RelativeTimeFormat(locale, { numeric: 'auto' }),
  short: new Intl.RelativeTimeFormat(locale, { numeric: 'auto', style: 'narrow' }),
};

export const count = (value: number): string => number.format(value);

export const share = (part: number, whole: number): string =>
  percent.format(whole === 0 ? 0 : part / whole);

export const dateTime = (at: Date): string => moment.format(at);
export const date = (at: Date): string => day.format(at);
/** Formats a calendar date regardless of the time zone. */
export const plainDay = (text: string): string =>
  new Intl.DateTimeFormat(locale, {
    day: 'numeric',
    month: 'short',
    year: 'numeric',
    timeZone: 'UTC',
  }).format(new Date(`${text}T00:00:00Z`));

const STEPS = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
] as const;

/** Returns `3 minutes ago`, or the date for older times. */
export function ago(at: Date, style: 'long' | 'short' = 'long'): string {
  const ms = at.getTime() - Date.now();
  if (Math.abs(ms) > 30 * 86_400_000) return date(at);
  for (const [unit, length] of STEPS) {
    if (Math.abs(ms) >= length) return relative[style].format(Math.round(ms / length), unit);
  }
  return texts.justNow;
}

/** Returns a destination's host and the rest of it, with international characters decoded. */
export function partsOf(url: string): { host: string; rest: string } {
  const [, authority, rest = ''] = /^https?:[\\/]*([^\\/?#]*)(.*)$/is.exec(url.trim()) ?? [];
  if (authority === undefined) return { host: url, rest: '' };
  const host = authority.slice(authority.lastIndexOf('@') + 1).toLowerCase();
  return { host: host.replace(/^www\./, ''), rest: rest === '/' ? '' : rest };
}

export const bare = (url: string): string => url.replace(/^https?:\/\//, '');

export function localInput(at: Date): string {
  const shifted = new Date(at.getTime() - at.getTimezoneOffset() * 60_000);
  return shifted.toISOString().slice(0, 16);
}

export function secondsOf(local: string): number | null {
  return local === '' ? null : Math.floor(new Date(local).getTime() / 1000);
}

/** `42 s`, `5 min`, `3 h`, rounded up. */
export function duration(seconds: number): string {
  const { problems } = texts;
  if (seconds < 120) return problems.seconds(count(seconds));
  const minutes = Math.ceil(seconds / 60);
  return minutes < 120
    ? problems.minutes(count(minutes))
    : problems.hours(count(Math.ceil(minutes / 60)));
}
