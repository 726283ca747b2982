const DAY_MS = 86_400_000;
const formats = new Map<string, Intl.DateTimeFormat>();

/** A calendar day of some zone. */
export interface LocalDay {
  year: number;
  /** 1 to 12. */
  month: number;
  day: number;
}

function formatOf(zone: string): Intl.DateTimeFormat {
  const known = formats.get(zone);
  if (known !== undefined) return known;
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    calendar: 'gregory',
    numberingSystem: 'latn',
    hourCycle: 'h23',
    era: 'short',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
  formats.set(zone, format);
  return format;
}

/** Milliseconds by which the zone's clocks are ahead of UTC at an instant. */
export function offsetAt(at: number, zone: string): number {
  if (zone === 'UTC') return 0;
  const whole = Math.floor(at / 1000) * 1000;
  const parts: Record<string, string> = {};
  for (const { type, value } of formatOf(zone).formatToParts(whole)) parts[type] = value;
  const part = (name: string): number => Number(parts[name]);
  const year = parts.era === 'BC' ? 1 - part('year') : part('year');
  const local = new Date(0);
  local.setUTCFullYear(year, part('month') - 1, part('day'));
  local.setUTCHours(part('hour'), part('minute'), part('second'));
  return local.getTime() - whole;
}

/** The day on the zone's calendar at an instant. */
export function localDay(at: number, zone: string): LocalDay {
  const local = new Date(at + offsetAt(at, zone));
  return {
    year: local.getUTCFullYear(),
    month: local.getUTCMonth() + 1,
    day: local.getUTCDate(),
  };
}

/**
 * The instant at which a day begins in a zone: local midnight, or, where clocks are put forward
 * over midnight, the first instant of the day. Days and months out of range roll over.
 */
export function startOfDay({ year, month, day }: LocalDay, zone: string): number {
  const midnight = new Date(0).setUTCFullYear(year, month - 1, day);
  if (zone === 'UTC') return midnight;
  // The offset before a change applies to the first of two midnights, so it is tried first.
  for (const near of [midnight - DAY_MS, midnight + DAY_MS]) {
    const at = midnight - offsetAt(near, zone);
    if (at + offsetAt(at, zone) === midnight) return at;
  }
  let before = midnight - 2 * DAY_MS;
  let after = midnight + 2 * DAY_MS;
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2);
    if (middle + offsetAt(middle, zone) >= midnight) after = middle;
    else before = middle;
  }
  return after;
}
