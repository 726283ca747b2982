const HOUR = 3_600_000;
const DAY = 24 * HOUR;

export interface NoonZone {
  readonly timezone: string;
  readonly today: number;
  readonly date: (daysAgo: number) => string;
}

/** Returns a time zone in which it is about noon, so that no day ends during a test. */
export function noonZone(now = Date.now()): NoonZone {
  const ahead = 12 - new Date(now).getUTCHours();
  const today = Math.floor((now + ahead * HOUR) / DAY) * DAY - ahead * HOUR;
  return {
    // POSIX signs, with which west is positive. Responses never contain +0.
    timezone: ahead === 0 ? 'UTC' : `Etc/GMT${ahead > 0 ? '-' : '+'}${Math.abs(ahead)}`,
    today,
    date: (daysAgo) => new Date(today + ahead * HOUR - daysAgo * DAY).toISOString().slice(0, 10),
  };
}
