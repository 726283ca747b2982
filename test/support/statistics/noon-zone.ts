const HOUR = 3_600_000;
const DAY = 24 * HOUR;

export interface NoonZone {
  readonly timezone: string;
  /** When its day has begun. */
  readonly today: number;
  /** The date of a day there. */
  readonly date: (daysAgo: number) => string;
}

/** A zone in which it is about noon, so that no day ends there while a test runs. */
export function noonZone(now = Date.now()): NoonZone {
  const ahead = 12 - new Date(now).getUTCHours();
  const today = Math.floor((now + ahead * HOUR) / DAY) * DAY - ahead * HOUR;
  return {
    // The signs of these names are those of POSIX: west is positive. None of them says +0 in answers.
    timezone: ahead === 0 ? 'UTC' : `Etc/GMT${ahead > 0 ? '-' : '+'}${Math.abs(ahead)}`,
    today,
    date: (daysAgo) => new Date(today + ahead * HOUR - daysAgo * DAY).toISOString().slice(0, 10),
  };
}
