import { Temporal } from 'temporal-polyfill';

/** A calendar day of some zone. */
export interface LocalDay {
  year: number;
  /** 1 to 12. */
  month: number;
  day: number;
}

function zoned(at: number, zone: string): Temporal.ZonedDateTime {
  return Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(zone);
}

/** Milliseconds by which the zone's clocks are ahead of UTC at an instant. */
export function zoneOffset(at: number, zone: string): number {
  return zone === 'UTC' ? 0 : zoned(at, zone).offsetNanoseconds / 1e6;
}

/** The day on the zone's calendar at an instant. */
export function localDay(at: number, zone: string): LocalDay {
  const { year, month, day } = zoned(at, zone);
  return { year, month, day };
}

/**
 * The instant at which a day begins in a zone: local midnight, the first one where there are two,
 * or, where clocks are put forward over midnight, the first instant of the day.
 */
export function startOfDay({ year, month, day }: LocalDay, zone: string): number {
  // Lists over a link's whole life have thousands of days, all in UTC: there the date is enough.
  if (zone === 'UTC') return Date.UTC(year, month - 1, day);
  return new Temporal.PlainDate(year, month, day).toZonedDateTime(zone).epochMilliseconds;
}

/** `2026-10-25T02:00+01:00`: an instant to the minute, with the offset of a zone. */
export function zonedHour(at: number, zone: string): string {
  return zoned(at, zone).toString({ timeZoneName: 'never', smallestUnit: 'minute' });
}

/** ISO text of an instant with the offset of a zone, `Z` for UTC (docs/contract.md#1). */
export function zonedIso(at: number, zone: string): string {
  if (zone === 'UTC') return new Date(at).toISOString();
  return zoned(at, zone).toString({ timeZoneName: 'never', fractionalSecondDigits: 3 });
}
