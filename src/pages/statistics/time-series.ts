import type { Row } from './statistics-view';

/** Columns that can still be told apart on a telephone. */
const MOST_COLUMNS = 92;
const WEEK = 7;

/** Clicks over time, in steps that fit a drawing. */
export interface TimeSeries {
  readonly step: 'day' | 'week' | 'month';
  /** Label = the first day of the step. */
  readonly columns: readonly Pick<Row, 'label' | 'clicks'>[];
}

/** Sums days to weeks (from Monday) or months when there are too many of them. */
export function timeSeries(days: readonly Row[]): TimeSeries {
  if (days.length <= MOST_COLUMNS) return { step: 'day', columns: days };
  if (days.length <= MOST_COLUMNS * WEEK) return { step: 'week', columns: grouped(days, monday) };
  return { step: 'month', columns: grouped(days, (day) => `${day.slice(0, 7)}-01`) };
}

function grouped(days: readonly Row[], start: (day: string) => string): TimeSeries['columns'] {
  const sums = new Map<string, number>();
  for (const { label, clicks } of days) {
    const key = start(label);
    sums.set(key, (sums.get(key) ?? 0) + clicks);
  }
  return Array.from(sums, ([label, clicks]) => ({ label, clicks }));
}

function monday(day: string): string {
  const date = new Date(`${day}T00:00:00Z`);
  date.setUTCDate(date.getUTCDate() - ((date.getUTCDay() + 6) % 7));
  return date.toISOString().slice(0, 10);
}
