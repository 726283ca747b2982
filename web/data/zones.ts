const refused = new Set<string>();

/** The browser's zone; UTC if it is unknown to the browser itself. */
export const browserZone = known(zoneName(Intl.DateTimeFormat().resolvedOptions().timeZone));

/** Default zone of day boundaries. */
export const ownZone = (): string => usableZone(browserZone);

/**
 * IANA name of a zone that some systems report as an offset (`+05:30`), which the API refuses.
 */
export function zoneName(zone = ''): string {
  const [, sign, hours = '', minutes = ''] = /^([+-])(\d\d):(\d\d)$/.exec(zone) ?? [];
  if (sign === undefined) return zone;
  if (Number(hours + minutes) === 0) return 'UTC';
  // Etc/GMT names have the opposite sign.
  if (minutes === '00') return `Etc/GMT${sign === '+' ? '-' : '+'}${Number(hours)}`;
  const now = new Date();
  const year = now.getFullYear();
  const here = Intl.supportedValuesOf('timeZone').filter((name) => offsetAt(now, name) === zone);
  const isFixed = (name: string): boolean =>
    [0, 6].every((month) => offsetAt(new Date(year, month), name) === zone);
  return here.find(isFixed) ?? here[0] ?? 'UTC';
}

function offsetAt(at: Date, timeZone: string): string | undefined {
  const format = new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' });
  const parts = format.formatToParts(at);
  return parts.find(({ type }) => type === 'timeZoneName')?.value.replace('GMT', '');
}

export function usableZone(zone: string): string {
  return refused.has(zone) ? 'UTC' : known(zone);
}

export function refuseZone(zone: string): void {
  // UTC is the fallback and must stay usable.
  if (zone !== 'UTC') refused.add(zone);
}

function known(zone = ''): string {
  try {
    // Throws for unknown and empty zones.
    Intl.DateTimeFormat('en', { timeZone: zone });
    return zone;
  } catch {
    return 'UTC';
  }
}
