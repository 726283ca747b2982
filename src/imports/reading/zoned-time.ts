const formats = new Map<string, Intl.DateTimeFormat>();
const MAX_FORMATS = 100;

export function isTimeZone(name: string): boolean {
  try {
    zoneFormat(name);
    return true;
  } catch {
    return false;
  }
}

/**
 * Converts a local time (`wall`, encoded like UTC milliseconds) to UTC. A time in a skipped hour
 * moves to the next hour; in a repeated hour, the first occurrence is used.
 */
export function zonedTime(wall: number, zone: string): number {
  if (zone === 'UTC') return wall;
  const before = wall - offsetAt(wall - 86_400_000, zone);
  if (before + offsetAt(before, zone) === wall) return before;
  const after = wall - offsetAt(wall + 86_400_000, zone);
  return after + offsetAt(after, zone) === wall ? after : before;
}

/** Returns the zone's UTC offset; positive east of Greenwich. */
function offsetAt(at: number, zone: string): number {
  const second = Math.floor(at / 1000) * 1000;
  const parts = zoneFormat(zone).formatToParts(second);
  const part = (type: string): number =>
    Number(parts.find((formatPart) => formatPart.type === type)?.value);
  const shown = Date.UTC(
    part('year'),
    part('month') - 1,
    part('day'),
    part('hour') % 24,
    part('minute'),
    part('second'),
  );
  return shown - second;
}

function zoneFormat(zone: string): Intl.DateTimeFormat {
  const known = formats.get(zone);
  if (known !== undefined) return known;
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    calendar: 'gregory',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
    hourCycle: 'h23',
  });
  if (formats.size >= MAX_FORMATS) formats.clear();
  formats.set(zone, format);
  return format;
}
