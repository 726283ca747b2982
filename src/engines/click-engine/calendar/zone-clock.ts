import { Temporal } from 'temporal-polyfill';

export interface LocalDay {
  year: number;
  /** 1 to 12. */
  month: number;
  day: number;
}

function zoned(at: number, zone: string): Temporal.ZonedDateTime {
  return Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(zone);
}

/** Returns the zone's UTC offset at this instant, in milliseconds. */
export function zoneOffset(at: number, zone: string): number {
  return zone === 'UTC' ? 0 : zoned(at, zone).offsetNanoseconds / 1e6;
}

export function localDay(at: number, zone: string): LocalDay {
  const { year, month, day } = zoned(at, zone);
  return { year, month, day };
}

/** Local midnight; the first if it occurs twice, or the start of the day if it is skipped. */
export function startOfDay({ year, month, day }: LocalDay, zone: string): number {
  // Fast path, because a link's whole lifetime may have thousands of days.
  if (zone === 'UTC') return Date.UTC(year, month - 1, day);
  return new Temporal.PlainDate(year, month, day).toZonedDateTime(zone).epochMilliseconds;
}

/** Formats to the minute, with the UTC offset: `2026-10-25T02:00+01:00`. */
export function zonedHour(at: number, zone: string): string {
  return zoned(at, zone).toString({ timeZoneName: 'never', smallestUnit: 'minute' });
}

/** Formats as ISO 8601 with the zone's offset, or `Z` for UTC (docs/contract.md#1). */
export function zonedIso(at: number, zone: string): string {
  if (zone === 'UTC') return new Date(at).toISOString();
  return zoned(at, zone).toString({ timeZoneName: 'never', fractionalSecondDigits: 3 });
}
